import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { InboundState } from '../inbound-event.js';
import type { InboxKey } from './inboxes.repository.js';

/** Events and bytes of one batch. */
const BATCH = { events: 100, bytes: 4 * 1024 * 1024 };

/** An event that waits, with what came. */
export interface WaitingEvent {
  id: string;
  at: Date;
  tries: number;
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
}

/** What became of an event. */
export interface Verdict {
  id: string;
  at: Date;
  state: InboundState;
  reason: string | null;
  detail: string | null;
  /** Counts as a try of its own: after a few the event has failed. */
  tried: boolean;
  /** The personal data goes: its candidate was deleted. */
  erase: boolean;
}

/** The statements of events that wait. */
@Injectable()
export class WaitingEventsRepository {
  constructor(private readonly db: Database) {}

  /** Returns the oldest events, at most a batch. */
  async oldest({ tenantId, connectionId }: InboxKey): Promise<WaitingEvent[]> {
    const { rows } = await this.db.query<WaitingEvent>(
      `select e.id, e.at, e.tries, e.content_type, e.headers, e.body from (
         select w.*, sum(coalesce(octet_length(w.body), 0)) over (order by w.id) - coalesce(octet_length(w.body), 0)
           as before
         from (select * from ats_events o where o.tenant_id = $1 and o.connection_id = $2 and o.state = 'waiting'
               order by o.id limit ${BATCH.events}) w) e
       where e.before < ${BATCH.bytes} order by e.id`,
      [tenantId, connectionId],
    );
    return rows;
  }

  /**
   * Notes what became of events. One that is not waiting any more stays as it is, but for those that the removal of their
   * candidate has just decided.
   */
  async decide(tx: SqlRunner, { tenantId, connectionId }: InboxKey, verdicts: readonly Verdict[]): Promise<void> {
    if (verdicts.length === 0) return;
    // The ids stand in the condition as well: a join by itself may read all events of the connection.
    const times = verdicts.map(({ at }) => at.getTime());
    const of = <T>(pick: (verdict: Verdict) => T): T[] => verdicts.map(pick);
    await tx.query(
      `update ats_events e set state = u.state, reason = u.reason, detail = u.detail,
         tries = e.tries + u.tried, decided_at = case when u.state = 'waiting' then null else $5::timestamptz end,
         body = case when u.erase then null else e.body end, headers = case when u.erase then null else e.headers end
       from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::int[], $11::boolean[])
         as u(id, state, reason, detail, tried, erase)
       where e.tenant_id = $1 and e.connection_id = $2 and e.at >= $3 and e.at <= $4 and e.id = u.id
         and e.id = any($6::text[]) and (e.state = 'waiting' or e.reason = 'erased')`,
      [
        tenantId,
        connectionId,
        new Date(Math.min(...times)),
        new Date(Math.max(...times) + 1),
        new Date(),
        of(({ id }) => id),
        of(({ state }) => state),
        of(({ reason }) => reason),
        of(({ detail }) => detail),
        of(({ tried }) => (tried ? 1 : 0)),
        of(({ erase }) => erase),
      ],
    );
  }
}
