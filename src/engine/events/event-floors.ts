import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { LOWEST } from './sequence.rules.js';

const TENANTS = 1_000;

/** The highest sequence of each tenant whose event was dropped: a position before it has missed events. */
@Injectable()
export class EventFloors {
  constructor(private readonly db: Database) {}

  /** Returns the floor of a tenant; `0`: nothing was dropped. */
  async of(tenantId: string): Promise<string> {
    const { rows } = await this.db.query<{ sequence: string }>(
      `select sequence from event_floors where tenant_id = $1`,
      [tenantId],
    );
    return rows[0]?.sequence ?? LOWEST;
  }

  /**
   * Raises the floors to what a month has, in the transaction that drops it.
   *
   * @param month the partition, as the catalogue of the database names it
   */
  async raise(tx: SqlRunner, month: string): Promise<void> {
    if (!/^events_\d{4}_\d\d$/.test(month)) throw new Error(`${month} is no month of events`);
    for (let after = ''; ;) {
      // One probe of the index for each tenant: a month has many more events than there are tenants.
      const { rows } = await tx.shaped<{ id: string; sequence: string | null }>(
        `select t.id, (select e.sequence from ${month} e where e.tenant_id = t.id order by e.sequence desc limit 1) as sequence
         from (select id from tenants where id > $1 order by id limit $2) t`,
        [after, TENANTS],
      );
      const found = rows.filter(({ sequence }) => sequence !== null);
      if (found.length > 0) {
        await tx.query(
          `insert into event_floors as f (tenant_id, sequence)
           select * from unnest($1::text[], $2::bigint[])
           on conflict (tenant_id) do update set sequence = greatest(f.sequence, excluded.sequence)`,
          [found.map(({ id }) => id), found.map(({ sequence }) => sequence)],
        );
      }
      if (rows.length < TENANTS) return;
      after = rows.at(-1)!.id;
    }
  }
}
