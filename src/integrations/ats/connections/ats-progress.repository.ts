import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import type { AtsProgress } from './ats-connection.mapping.js';

/** More are not counted. */
const MOST_COUNTED = 10_000;

/** What waits at connections, and when their ATS is read next. */
@Injectable()
export class AtsProgressRepository {
  constructor(private readonly db: Database) {}

  /** Returns the progress of some connections. */
  async of(tenantId: string, ids: readonly string[]): Promise<Map<string, AtsProgress>> {
    const { rows } = await this.db.query<{ id: string; next_at: Date | null; events: number; writes: number }>(
      `select c.id, (select greatest(s.next_at, (
            select e.free_at from work_entries e where e.tenant_id = $1 and e.kind = 'ats.polls' and e.id = c.id and e.failures > 0))
          from ats_syncs s where s.tenant_id = $1 and s.connection_id = c.id) as next_at,
         (select count(*)::int from (select 1 from ats_open_events e where e.tenant_id = $1 and e.connection_id = c.id
            and not e.failed limit ${MOST_COUNTED}) w) as events,
         (select count(*)::int from (select 1 from ats_writes w where w.tenant_id = $1 and w.connection_id = c.id
            and w.state = 'waiting' limit ${MOST_COUNTED}) w) as writes
       from unnest($2::text[]) c (id)`,
      [tenantId, ids],
    );
    return new Map(rows.map((row) => [row.id, { nextRunAt: row.next_at, events: row.events, writes: row.writes }]));
  }
}
