import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { AtsRecordKind } from '../connectors/connector.js';
import type { InboundEventBody, InboundEventRow, InboundState, InboxKey } from './inbound-event.js';

export interface InboundFilter {
  state?: InboundState | undefined;
  remoteId?: string | undefined;
  kind?: AtsRecordKind | undefined;
}

const COLUMNS = 'id, at, name, occurred_at, kind, remote_id, state, reason, detail, tries, decided_at';
const AT_ONCE = 1_000;

/** SQL: removes open events of dropped months, before their bodies are dropped; `$1` is the days of the bodies. */
export const OLD_OPEN_EVENTS = `delete from ats_open_events
  where at < date_trunc('month', now() at time zone 'UTC' - $1 * interval '1 day') at time zone 'UTC'`;

/** Events and bytes of one batch. The next batch is in memory while this one is written. */
const BATCH = { events: 500, bytes: 4 * 1024 * 1024 };

export interface WaitingEvent {
  id: string;
  at: Date;
  tries: number;
  content_type: string | null;
  headers: Record<string, string> | null;
  body: Buffer | null;
  signed: boolean;
}

export interface EventVerdict {
  id: string;
  at: Date;
  state: InboundState;
  reason: string | null;
  detail: string | null;
  /** Counts as a try of its own: after `MOST_TRIES` the event has failed. */
  tried: boolean;
  /** The body is erased: its candidate was deleted, or it has no effect. */
  erase: boolean;
}

// One verdict on events of one range of ids. The planner takes a connection for small, and would read all its events
// for `= any`; within the range each one is looked up in a hash, which `is true` keeps from becoming a join.
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

/** Reads inbound events, settles failed ones, and gives waiting ones to the worker. */
@Injectable()
export class InboundEventsRepository {
  constructor(private readonly db: Database) {}

  async list(
    tenantId: string,
    connectionId: string,
    { state, remoteId, kind }: InboundFilter,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<InboundEventRow[]> {
    const values: unknown[] = [tenantId, connectionId];
    const conditions = ['tenant_id = $1', 'connection_id = $2'];
    const add = (condition: string, value: unknown) =>
      conditions.push(condition.replace('?', `$${values.push(value)}`));
    if (after !== null) add('id < ?', after);
    if (remoteId === undefined && (state === 'waiting' || state === 'failed')) {
      return this.open(state === 'failed', conditions, values, limit);
    }
    if (state !== undefined) add('state = ?', state);
    if (remoteId !== undefined) add('remote_id = ?', remoteId);
    if (kind !== undefined) add('kind = ?', kind);
    const { rows } = await this.db.shaped<InboundEventRow>(
      `select ${COLUMNS} from ats_events where ${conditions.join(' and ')} order by id desc limit ${limit + 1}`,
      values,
    );
    return rows;
  }

  private async open(
    failed: boolean,
    conditions: readonly string[],
    values: unknown[],
    limit: number,
  ): Promise<InboundEventRow[]> {
    const { rows } = await this.db.shaped<InboundEventRow>(
      `select ${COLUMNS} from (
         select o.id as open_id, o.at as open_at from ats_open_events o
         where ${conditions.map((one) => `o.${one}`).join(' and ')} and o.failed = ${String(failed)}
         order by o.id desc limit ${limit + 1}) n
       join ats_events on tenant_id = $1 and connection_id = $2 and id = open_id and at = open_at
       order by open_id desc`,
      values,
    );
    return rows;
  }

  async one(tenantId: string, connectionId: string, id: string): Promise<InboundEventBody | undefined> {
    const { rows } = await this.db.query<InboundEventBody>(
      `select ${COLUMNS}, content_type, headers, body from ats_events
       where tenant_id = $1 and connection_id = $2 and id = $3`,
      [tenantId, connectionId, id],
    );
    return rows[0];
  }

  /** Lets an event be applied again. @returns the state that prevents it, or null */
  async retry(tx: SqlRunner, tenantId: string, connectionId: string, id: string): Promise<InboundState | null> {
    const { rows } = await tx.query<{ state: InboundState; erased: boolean }>(
      `select state, body is null as erased from ats_events
       where tenant_id = $1 and connection_id = $2 and id = $3 for update`,
      [tenantId, connectionId, id],
    );
    const [row] = rows;
    if (row === undefined || row.erased || row.state === 'applied' || row.state === 'waiting')
      return row?.state ?? 'applied';
    await tx.query(
      `with again as (
         update ats_events set state = 'waiting', reason = null, detail = null, tries = 0, decided_at = null
         where tenant_id = $1 and connection_id = $2 and id = $3
         returning id, at, coalesce(octet_length(body), 0) as bytes),
       failed as (
         delete from ats_open_events where tenant_id = $1 and connection_id = $2 and failed and id = $3)
       insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
       select $1, $2, false, a.id, a.at, a.bytes from again a`,
      [tenantId, connectionId, id],
    );
    return null;
  }

  /** Lets failed events be applied again, oldest first. @returns how many */
  async retryFailed(tx: SqlRunner, tenantId: string, connectionId: string): Promise<number> {
    const { rowCount } = await tx.query(
      `with failed as materialized (
         select o.id, o.at from ats_open_events o join ats_events e
           on e.tenant_id = $1 and e.connection_id = $2 and e.id = o.id and e.at = o.at and e.body is not null
         where o.tenant_id = $1 and o.connection_id = $2 and o.failed order by o.id limit ${AT_ONCE}),
       again as (
         update ats_events e set state = 'waiting', reason = null, detail = null, tries = 0, decided_at = null
         from failed f
         where e.tenant_id = $1 and e.connection_id = $2 and e.id = f.id and e.at = f.at and e.state = 'failed'
         returning e.id, e.at, octet_length(e.body) as bytes),
       moved as (
         delete from ats_open_events o
         where o.tenant_id = $1 and o.connection_id = $2 and o.failed and o.id = any(array(select a.id from again a)))
       insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
       select $1, $2, false, a.id, a.at, a.bytes from again a`,
      [tenantId, connectionId],
    );
    return rowCount ?? 0;
  }

  /** Notes that an event does not matter. @returns false where it is applied, or dismissed already */
  async dismiss(tx: SqlRunner, tenantId: string, connectionId: string, id: string, reason: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `with dismissed as (
         update ats_events set state = 'dismissed', reason = 'by_hand', detail = $4, decided_at = now(),
           body = null, headers = null
         where tenant_id = $1 and connection_id = $2 and id = $3 and state in ('waiting', 'failed') returning id)
       delete from ats_open_events o
       where o.tenant_id = $1 and o.connection_id = $2 and o.failed = any('{f,t}') and o.id = any(array(
         select d.id from dismissed d))`,
      [tenantId, connectionId, id, reason],
    );
    return rowCount === 1;
  }

  /** @param after skips decided events, which would cost as much again */
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

  /** An event that no longer waits stays unchanged, except those that the removal of their candidate decided. */
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
