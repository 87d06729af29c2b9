import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** A message that is to be sent again. */
export interface ReplayedMessage {
  /** Its id; where messages of a record are in order, the id of the record. */
  subject: string;
  sequence: string;
}

/** The lane begins with another message than before. */
const OTHER_HEAD = `(l.first_pending is null or l.first_pending > excluded.first_pending)`;

const ifOtherHead = (column: string, value: string): string =>
  `${column} = case when ${OTHER_HEAD} then ${value} else l.${column} end`;

// Behind everything that is new. What a lane waits for already comes once: the ranges of a record become one. Pause and
// tries belong to the message that a lane begins with.
const REPLAY = `
  insert into lanes as l (tenant_id, channel, destination, subject, state, target_state, target_body, rank,
    first_pending, last_pending, pending_since)
  select $1, $2, $3, m.subject, 'due', 'active', '', 2, min(m.sequence), max(m.sequence), now()
  from unnest($4::text[], $5::bigint[]) as m(subject, sequence)
  group by m.subject order by m.subject
  on conflict (tenant_id, channel, destination, subject) do update set
    first_pending = least(l.first_pending, excluded.first_pending),
    last_pending = greatest(l.last_pending, excluded.last_pending),
    ${ifOtherHead('state', `'due'`)}, ${ifOtherHead('rank', 'least(l.rank, 2)')},
    ${ifOtherHead('next_at', `'-infinity'`)}, ${ifOtherHead('call', 'null')}, ${ifOtherHead('newer_since', 'null')},
    ${ifOtherHead('failure_count', '0')}, ${ifOtherHead('own_failure_count', '0')}, ${ifOtherHead('failed_at', 'null')},
    parked_reason = null, parked_detail = null,
    pending_since = coalesce(l.pending_since, excluded.pending_since)
  where l.state <> 'calling' and (${OTHER_HEAD} or l.last_pending < excluded.last_pending)
  returning l.subject`;

/**
 * Puts messages into the lanes of a destination again. A lane whose range begins later begins with the first of them:
 * what stands between is sent again too, in its order.
 *
 * @returns the subjects whose lane is being sent, which would lose the messages: to be asked for again
 */
export async function replay(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  messages: readonly ReplayedMessage[],
): Promise<string[]> {
  if (messages.length === 0) return [];
  const subjects = messages.map(({ subject }) => subject);
  const sequences = messages.map(({ sequence }) => sequence);
  const written = await tx.query<{ subject: string }>(REPLAY, [tenantId, channel, id, subjects, sequences]);
  const done = new Set(written.rows.map(({ subject }) => subject));
  // The statement locked these too: they stay as they are until the transaction ends.
  const { rows } = await tx.query<{ subject: string }>(
    `select l.subject from lanes l where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
       and l.subject = any($4::text[]) and l.state = 'calling'`,
    [tenantId, channel, id, subjects.filter((subject) => !done.has(subject))],
  );
  return rows.map(({ subject }) => subject);
}
