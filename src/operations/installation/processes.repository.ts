import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';

/** A process of the installation. */
export interface ProcessRow {
  /** Its host and its number there. */
  name: string;
  role: string;
  version: string;
  started_at: Date;
  seen_at: Date;
}

/** Statements on the processes of the installation. */
@Injectable()
export class ProcessesRepository {
  constructor(private readonly db: Database) {}

  /** Notes that a process is there, and forgets those that were not seen for a day. */
  async see(id: string, { name, role, version }: Pick<ProcessRow, 'name' | 'role' | 'version'>): Promise<void> {
    await this.db.query(
      `with gone as (delete from processes where seen_at < now() - interval '1 day')
       insert into processes (id, name, role, version) values ($1::uuid, $2, $3, $4)
       on conflict (id) do update set seen_at = now()`,
      [id, name, role, version],
    );
  }

  /** Forgets a process that ends. */
  async remove(id: string): Promise<void> {
    await this.db.query(`delete from processes where id = $1::uuid`, [id]);
  }

  /** Returns the processes of the last day, the newest first. */
  async list(limit: number): Promise<ProcessRow[]> {
    const { rows } = await this.db.query<ProcessRow>(
      `select name, role, version, started_at, seen_at from processes order by started_at desc, name limit $1`,
      [limit],
    );
    return rows;
  }

  /** Returns the names of the migrations that have run, the newest first. */
  async migrations(): Promise<string[]> {
    const { rows } = await this.db.query<{ name: string }>(`select name from migrations order by id desc`);
    return rows.map(({ name }) => name);
  }

  /** Returns the names of tenants, by id. */
  async namesOf(tenantIds: readonly string[]): Promise<Map<string, string>> {
    const { rows } = await this.db.query<{ id: string; name: string }>(
      `select id, name from tenants where id = any($1::text[])`,
      [tenantIds],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
