import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { Logger, processFields } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';

interface ProcessRow {
  name: string;
  role: string;
  version: string;
  started_at: Date;
  seen_at: Date;
}

@Injectable()
export class ProcessesRepository {
  constructor(private readonly db: Database) {}

  /** Notes a running process, and removes those without a sign for a day. */
  async see(id: string, { name, role, version }: Pick<ProcessRow, 'name' | 'role' | 'version'>): Promise<void> {
    await this.db.query(
      `with gone as (delete from processes where seen_at < now() - interval '1 day')
       insert into processes (id, name, role, version) values ($1::uuid, $2, $3, $4)
       on conflict (id) do update set seen_at = now()`,
      [id, name, role, version],
    );
  }

  async remove(id: string): Promise<void> {
    await this.db.query(`delete from processes where id = $1::uuid`, [id]);
  }

  async list(limit: number): Promise<ProcessRow[]> {
    const { rows } = await this.db.query<ProcessRow>(
      `select name, role, version, started_at, seen_at from processes order by started_at desc, name limit $1`,
      [limit],
    );
    return rows;
  }

  async migrations(): Promise<string[]> {
    const { rows } = await this.db.query<{ name: string }>(`select name from migrations order by id desc`);
    return rows.map(({ name }) => name);
  }

  async namesOf(tenantIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.db.query<{ id: string; name: string }>(
      `select id, name from tenants where id = any($1::text[])`,
      [tenantIds],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}

const EVERY_MS = 30_000;

/** Shows the operator that this process runs, in which role and version. */
@Injectable()
export class ProcessSigns extends Background {
  override readonly isEverywhere = true;
  private readonly id = randomUUID();

  constructor(
    private readonly processes: ProcessesRepository,
    private readonly config: Config,
    logger: Logger,
  ) {
    super(EVERY_MS, 'noting the process', logger);
  }

  override async run(): Promise<void> {
    const { role, version, process: name } = processFields(this.config);
    await this.processes.see(this.id, { name, role, version });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.processes.remove(this.id).catch(() => undefined); // The database is away: the row ends after a day.
  }
}

class ProcessBody {
  @ApiProperty({ example: 'bridge-api-0:1', description: 'Host and number of the process.' })
  name!: string;
  @ApiProperty({ enum: ['all', 'api', 'worker'] })
  role!: string;
  @ApiProperty({ example: '0.1.0' })
  version!: string;
  @ApiProperty({ format: 'date-time' })
  started_at!: Date;
  @ApiProperty({ format: 'date-time', description: 'A process shows itself every 30 seconds.' })
  last_seen_at!: Date;
}

class TenantLag {
  @ApiProperty({ example: 'ten_01k0000000abcdefghjkmnpqrs' })
  tenant_id!: string;
  @ApiProperty({ type: String, nullable: true })
  name!: string | null;
  @ApiProperty({ type: 'integer', description: 'Users for whom a change waits for the platform; 10 000 at most.' })
  waiting!: number;
  @ApiProperty({ format: 'date-time', description: 'Since when the oldest of these changes waits.' })
  oldest_waiting_since!: Date;
}

class WorkBody {
  @ApiProperty({ example: 'retention' })
  kind!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null: the work is of the installation.' })
  tenant_id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'What it is about, such as a connection.' })
  id!: string | null;
  @ApiProperty({ enum: ['running', 'resting', 'waiting'] })
  state!: string;
  @ApiProperty({ type: 'integer', description: 'Failures in a row.' })
  failures!: number;
  @ApiProperty({ type: String, nullable: true, description: 'The cause of the last failure.' })
  reason!: string | null;
  @ApiProperty({ type: Date, nullable: true, description: 'When it is due again; null: it is under way, or due.' })
  next_at!: Date | null;
}

/** The state of the installation. */
export class InstallationBody {
  @ApiProperty({
    type: [ProcessBody],
    description:
      'The processes of the last 24 hours, newest first, at most 100. One that has ended in order is not here.',
  })
  processes!: ProcessBody[];
  @ApiProperty({ type: [String], description: 'The migrations that have run, newest first.' })
  migrations!: string[];
  @ApiProperty({ type: [TenantLag], description: 'The 20 tenants whose changes wait longest.' })
  lag!: TenantLag[];
  @ApiProperty({
    type: [WorkBody],
    description:
      'Background work that is under way, rests or has an interval, those with most failures first, at most 100.',
  })
  work!: WorkBody[];
}
