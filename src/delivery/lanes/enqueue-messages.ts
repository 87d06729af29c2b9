import type { Params, Part, WriteStatement } from '../../base/database/write-statement.js';
import { ENQUEUED } from './enqueue.js';

/** A destination of a channel that keeps every message, and the messages that it takes. */
export interface Receiver {
  /** The id of the destination. */
  id: string;
  /** The names of the messages that it takes. */
  names: readonly string[];
  /** Messages about one record go one after the other. */
  ordered: boolean;
}

/** Messages that a statement writes, as SQL about rows `m` of its part. */
export interface Messages {
  part: Part;
  /** The id of the message. */
  id: string;
  name: string;
  /** The id of the record that it is about, or null. */
  record: string;
  at: string;
}

/**
 * Adds a lane for each message and each destination that takes it to the statement that makes the message. A lane has no
 * body: the channel reads it when it sends. Where messages about one record are in order, the record has one lane, from
 * its first waiting message to its last.
 */
export function enqueueMessages(
  statement: WriteStatement,
  { tenantId, channel }: { tenantId: string; channel: string },
  receivers: readonly Receiver[],
  { part, id, name, record, at }: Messages,
): void {
  const taken = receivers.flatMap((receiver) => receiver.names.map((one) => ({ ...receiver, name: one })));
  if (taken.length === 0) return;
  statement.add(
    (p) => `insert into lanes as l (tenant_id, channel, destination, subject, state, target_state, target_body, rank,
        first_pending, last_pending, pending_since)
      select ${p.add(tenantId, 'text')}, ${p.add(channel, 'text')}, o.id, o.subject, 'due', 'active', '', 1,
        min(o.sequence), max(o.sequence), min(o.at)
      from (
        select r.id, m.sequence, ${at} as at,
          case when r.ordered then coalesce(${record}, ${id}) else ${id} end as subject
        from ${part.name} m join ${receiversSql(p, taken)} as r(id, name, ordered) on r.name = ${name}
      ) o
      group by o.id, o.subject order by o.id, o.subject
      on conflict (tenant_id, channel, destination, subject) do update set ${ENQUEUED}
      where excluded.last_pending > l.last_pending`,
  );
}

function receiversSql(p: Params, taken: readonly { id: string; name: string; ordered: boolean }[]): string {
  const ids = taken.map(({ id }) => id);
  const names = taken.map(({ name }) => name);
  const ordered = taken.map((one) => one.ordered);
  return `unnest(${p.add(ids, 'text[]')}, ${p.add(names, 'text[]')}, ${p.add(ordered, 'boolean[]')})`;
}
