import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../../base/database/database.js';
import type { InboundState } from '../inbound-event.js';
import type { InboxKey } from '../inbox.js';

/** Events and bytes of one batch. While it is written, the next one is in memory as well. */
const BATCH = { events: 500, bytes: 4 * 1024 * 1024 };

/** An event that waits, with what came. */
export interface WaitingEvent {
  id: string;
  at: Date;
  tries: number;
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
  /** A signature was checked when it came. */
  signed: boolean;
}

/** What became of an event. */
export interface EventVerdict {
  id: string;
  at: Date;
  state: InboundState;
  reason: string | null;
  detail: string | null;
  /** Counts as a try of its own: after a few the event has failed. */
  tried: boolean;
  /** The body goes: its candidate was deleted, or it has no effect. */
  erase: boolean;
}

// One verdict on events of one stretch of ids. The planner takes a connection for small, and would read all its events for
// `= any`; of the stretch each one is looked up in a hash, which `is true` keeps from becoming a join.
const AMONG = `>= $5 and e.id <= $6 and (e.id in (select g.id from unnest($7::text[]) as g(id))) is true`;
const DECIDE = `
  with decided as (
    update ats_events e set state = $8, reason = $9, detail = $10, tries = e.tries + $11::int, decided_at = $12,
      body = case when $13 then null else e.body end, headers = case when $13 then null else e.headers end
    where e.tenant_id = $1 and e.connection_id = $2 and e.at >= $3 and e.at <= $4 and e.id ${AMONG}
      and (e.state = 'waiting' or e.reason = 'erased')
    returning e.id, e.at, coalesce(octet_length(e.body), 0) as bytes
  ), closed as (
    delete from ats_open_events e
    where e.tenant_id = $1 and e.connection_id = $2 and not e.failed and e.id ${AMONG} and $8 <> 'waiting'
  )
  insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
  select $1, $2, true, d.id, d.at, d.bytes from decided d where $8 = 'failed'`;

/** The statements of events that wait. */
@Injectable()
export class WaitingEventsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Returns the oldest events, at most a batch.
   *
   * @param after the event before the first one: those before it are decided, and being passed over would cost as much as they did
   */
  async oldest({ tenantId, connectionId }: InboxKey, after = ''): Promise<WaitingEvent[]> {
    const { rows } = await this.db.query<WaitingEvent>(
      `select e.id, e.at, e.tries, e.content_type, e.headers, e.body, e.signed from (
         select w.id, w.at, sum(w.bytes) over (order by w.id) - w.bytes as bytes_before
         from (select o.id, o.at, o.bytes from ats_open_events o
               where o.tenant_id = $1 and o.connection_id = $2 and not o.failed and o.id > $3
               order by o.id limit ${BATCH.events}) w) n
       cross join lateral (
         select b.id, b.at, b.tries, b.content_type, b.headers, b.body, b.signed from ats_events b
         where b.tenant_id = $1 and b.connection_id = $2 and b.id = n.id and b.at = n.at limit 1) e
       where n.bytes_before < ${BATCH.bytes} order by n.id`,
      [tenantId, connectionId, after],
    );
    return rows;
  }

  /**
   * Notes what became of events. One that is not waiting any more stays as it is, but for those that the removal of their
   * candidate has just decided.
   */
  async decide(tx: SqlRunner, { tenantId, connectionId }: InboxKey, verdicts: readonly EventVerdict[]): Promise<void> {
    const now = new Date();
    for (const [first, ...others] of alike(verdicts)) {
      const { state, reason, detail, tried, erase } = first!;
      const events = [first!, ...others];
      const times = events.map(({ at }) => at.getTime());
      const ids = events.map(({ id }) => id).sort();
      await tx.query(DECIDE, [
        tenantId,
        connectionId,
        new Date(Math.min(...times)),
        new Date(Math.max(...times) + 1),
        ids[0],
        ids.at(-1),
        ids,
        state,
        reason,
        detail,
        tried ? 1 : 0,
        state === 'waiting' ? null : now,
        erase,
      ]);
    }
  }
}

/** Returns verdicts that say the same together: most events of a batch are applied. */
function alike(verdicts: readonly EventVerdict[]): Iterable<EventVerdict[]> {
  const groups = new Map<string, EventVerdict[]>();
  for (const verdict of verdicts) {
    const { state, reason, detail, tried, erase } = verdict;
    const name = JSON.stringify([state, reason, detail, tried, erase]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [verdict]);
    else group.push(verdict);
  }
  return groups.values();
}
