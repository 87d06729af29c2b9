import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { Activity } from '../../base/activity.js';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { makeFolder } from '../../base/make-folder.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import { systemActor } from '../../tenancy/identity/person.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';

interface Generation {
  readonly id: string;
  readonly generation: number;
}

interface GenerationMark {
  readonly installation: string;
  readonly generation: number;
  readonly at: string;
}

/** The file `DATA_DIR/database-generation`. */
class KeptMark {
  private readonly file: string;

  constructor(private readonly dataDir: string) {
    this.file = path.join(dataDir, 'database-generation');
  }

  /** Returns the mark of an earlier process; null when it is missing, or not readable. */
  async read(): Promise<GenerationMark | null> {
    let text: string;
    try {
      text = await readFile(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return markIn(text);
  }

  async write(mark: GenerationMark): Promise<void> {
    makeFolder(this.dataDir, 0o755);
    const draft = `${this.file}.${process.pid}`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(mark)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, this.file);
  }
}

function markIn(text: string): GenerationMark | null {
  try {
    const { installation, generation, at } = JSON.parse(text) as Partial<GenerationMark>;
    if (typeof installation !== 'string' || !Number.isSafeInteger(generation)) return null;
    return { installation, generation: generation!, at: String(at) };
  } catch {
    return null;
  }
}

const EVERY_MS = 1_000;
const QUIET_MS = 5_000;

const RESTORED = 'database_restored';

/**
 * Detects a database that was restored to an earlier state. Such a database lacks later departures, and changes that
 * the platform received. So forwarding is paused for every tenant until an administrator has compared and resumes. The
 * generation in the database increases first, and the one in DATA_DIR follows: the database has the lower one only
 * after a restore.
 */
@Injectable()
export class RestoreWatch extends Background {
  override readonly isEverywhere = true;
  private readonly kept: KeptMark;
  private mark: GenerationMark | null = null;
  private cannotKeep = false;

  constructor(
    config: Config,
    private readonly db: Database,
    private readonly states: DestinationStatesRepository,
    private readonly audit: AuditService,
    private readonly clock: Clock,
    private readonly logger: Logger,
    activity: Activity,
  ) {
    super(EVERY_MS, 'watching the generation of the database', logger, { everyMs: QUIET_MS, activity });
    this.kept = new KeptMark(config.dataDir);
  }

  /**
   * Compares the database with the mark of earlier processes. Must be called before changes are forwarded.
   *
   * @returns a message; null when the database was not restored
   */
  async begin(): Promise<string | null> {
    this.mark = await this.kept.read();
    return this.look();
  }

  override async run(): Promise<void> {
    await this.look();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.look().catch(() => undefined); // The database is away: the mark has the last known generation.
  }

  private async look(): Promise<string | null> {
    const now = await this.advance();
    if (this.mark !== null && this.mark.installation === now.id && now.generation < this.mark.generation) {
      return this.restored(this.mark);
    }
    await this.keep(now);
    return null;
  }

  private async restored(mark: GenerationMark): Promise<string | null> {
    const words =
      `The database was restored to an earlier state: changes up to ${mark.at} are missing. ` +
      'Forwarding is paused. Let each IdP run a full cycle, compare with the platform, then resume.';
    const done = await this.db.transaction(null, async (tx) => {
      const { generation } = await this.lock(tx);
      if (generation >= mark.generation) return null; // Another process was quicker.
      await this.goOnBehind(tx, mark.generation);
      const tenants = await this.states.pauseAll(tx, RESTORED, words);
      for (const tenantId of tenants) {
        const line = { tenantId, actor: systemActor('restore'), requestId: null, targetType: 'platform' };
        const after = { state: 'paused', reason: RESTORED };
        await this.audit.record(tx, { ...line, targetId: tenantId, action: 'platform.paused', after });
      }
      return { generation, tenants: tenants.length };
    });
    if (done !== null) {
      const generations = { generation: done.generation, reached_before: mark.generation };
      this.logger.error('database restored', { ...generations, paused: done.tenants, detail: words });
    }
    await this.keep(await this.advance());
    return done === null ? null : words;
  }

  private async keep({ id, generation }: Generation): Promise<void> {
    if (this.mark?.installation === id && this.mark.generation === generation) return;
    this.mark = { installation: id, generation, at: this.clock.now().toISOString() };
    try {
      await this.kept.write(this.mark);
    } catch (error) {
      if (this.cannotKeep) return;
      this.cannotKeep = true;
      this.logger.warn('the generation of the database cannot be stored in DATA_DIR: a restore will not be detected', {
        error,
      });
    }
  }

  private async advance(): Promise<Generation> {
    const { rows } = await this.db.query<Generation>(
      `with here as (select pg_sequence_last_value('change_sequence') as sequence),
         moved as (
           update installation i set generation = i.generation + 1, last_sequence = here.sequence
           from here where i.last_sequence < here.sequence returning i.id, i.generation)
       select id, generation::float8 as generation from (
         select id, generation from moved union all
         select id, generation from installation where not exists (select 1 from moved)) present`,
    );
    return rows[0]!;
  }

  private async lock(tx: SqlRunner): Promise<Generation> {
    const { rows } = await tx.query<Generation>(
      `select id, generation::float8 as generation from installation for update`,
    );
    return rows[0]!;
  }

  /** Sets a generation after the one before the restore, so that no other process finds the restore again. */
  private async goOnBehind(tx: SqlRunner, generation: number): Promise<void> {
    await tx.query(`update installation set generation = $1::bigint + 1, restored_at = now()`, [generation]);
  }
}
