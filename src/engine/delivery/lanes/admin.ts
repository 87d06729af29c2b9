import type { SqlRunner, Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './write.js';

const NOT_HELD = `tenant_id = $1 and channel = $2 and destination = $3 and subject = $4 and state in ('due', 'backing_off')`;

/**
 * Removes the lane of one message that has arrived another way. A lane that is being sent stays: the message arrives once more,
 * under the same id.
 */
export async function cancelMessage(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  subject: string,
): Promise<void> {
  await tx.query(`delete from lanes where ${NOT_HELD}`, [tenantId, channel, id, subject]);
}

/**
 * Moves the lane of a record, whose messages are in order, past its first message, which has arrived another way.
 *
 * @param first the first message when the lane was read; a lane with another one now stays
 * @param sequence of the message
 */
export async function passMessage(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  record: string,
  first: string,
  sequence: string,
): Promise<void> {
  const values = [tenantId, channel, id, record, first, sequence];
  await tx.query(`delete from lanes where ${NOT_HELD} and first_pending = $5 and last_pending <= $6`, values);
  await tx.query(
    `update lanes set state = 'due', rank = 1, first_pending = $6::bigint + 1, confirmed_through = $6, call = null,
       newer_since = null, next_at = '-infinity', failure_count = 0, own_failure_count = 0, failed_at = null
     where ${NOT_HELD} and first_pending = $5 and last_pending > $6`,
    values,
  );
}

/** The dropped changes: those after `after`, up to `through`. */
interface Dismissed {
  parkedReason: string;
  after: number;
  through: number;
}

/**
 * Gives up what is pending of a parked subject; the lane waits for the next change. Knowledge about a call without an
 * answer was stored when the lane was parked.
 *
 * @returns null if the lane is not parked
 */
export async function dismiss(tx: SqlRunner, key: DestinationKey, subject: string): Promise<Dismissed | null> {
  const [locked] = await lock(tx, key, 'l.subject = $4', [subject]);
  if (locked?.lane.state !== 'parked') return null;
  await apply(tx, key, [locked], () => ({ kind: 'dismissed' }));
  const { parkedReason, confirmedThrough, lastPending } = locked.lane;
  return { parkedReason: parkedReason!, after: confirmedThrough, through: lastPending };
}

const BATCH = 500;

/**
 * Moves the next lanes to another address of their destination: the knowledge about the old one is dropped, and every active
 * subject is sent to the new one. Lanes that a worker has already met at the new address stay.
 *
 * @param after the last subject of the batch before
 * @returns how many were moved, and the last subject; `next` is null after the last batch
 */
export async function rebind(
  tx: SqlRunner,
  key: DestinationKey,
  epoch: number,
  after: string,
): Promise<{ moved: number; next: string | null }> {
  const locked = await lock(tx, key, `l.subject = any(array(${NEXT_SUBJECTS}))`, [after]);
  const moved = (await apply(tx, key, locked, () => ({ kind: 'rebound', epoch }))).length;
  return { moved, next: locked.length < BATCH ? null : locked.at(-1)!.subject };
}

const NEXT_SUBJECTS = `select n.subject from lanes n
  where n.tenant_id = $1 and n.channel = $2 and n.destination = $3 and n.subject > $4 order by n.subject limit ${BATCH}`;

/** Counts the subjects that a move of the destination sends again: each has its lane. */
export async function boundSubjects(db: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from lanes where tenant_id = $1 and channel = $2 and destination = $3`,
    [tenantId, channel, id],
  );
  return rows[0]!.n;
}

interface ReplayedMessage {
  /** Its id; where messages of a record are in order, the id of the record. */
  subject: string;
  sequence: string;
}

const OTHER_HEAD = `(l.first_pending is null or l.first_pending > excluded.first_pending)`;

const ifOtherHead = (column: string, value: string): string =>
  `${column} = case when ${OTHER_HEAD} then ${value} else l.${column} end`;

// After everything that is new. A message that a lane already waits for comes once: the ranges of a record become one.
// Pause and tries belong to the message that a lane begins with.
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
 * Puts messages into the lanes of a destination again. A lane whose range begins later begins with the first of them: the
 * messages between are sent again too, in their order.
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
  // The statement locked these too: they do not change until the transaction ends.
  const { rows } = await tx.query<{ subject: string }>(
    `select l.subject from lanes l where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
       and l.subject = any($4::text[]) and l.state = 'calling'`,
    [tenantId, channel, id, subjects.filter((subject) => !done.has(subject))],
  );
  return rows.map(({ subject }) => subject);
}

/**
 * Marks subjects to be sent again in their present state, after everything that is new.
 *
 * @returns how many were marked
 */
export async function resend(tx: SqlRunner, key: DestinationKey, subjects: readonly string[]): Promise<number> {
  if (subjects.length === 0) return 0;
  const locked = await lock(tx, key, 'l.subject = any($4::text[])', [subjects]);
  return (await apply(tx, key, locked, () => ({ kind: 'resent' }))).length;
}

/** Sends lanes at once that wait out a failure of their own, after an outage of the destination. */
export async function endPauses(db: Database, key: DestinationKey): Promise<void> {
  for (;;) {
    const ended = await db.transaction(key.tenantId, async (tx) => {
      const locked = await lock(tx, key, `l.subject = any(array(${WAITING}))`, []);
      return (await apply(tx, key, locked, () => ({ kind: 'destination_returned' }))).length;
    });
    if (ended < BATCH) return;
  }
}

const WAITING = `select n.subject from lanes n
  where n.tenant_id = $1 and n.channel = $2 and n.destination = $3 and n.first_pending is not null
    and n.parked_reason is null and n.state = 'backing_off' limit ${BATCH}`;

type Parked = { refused: readonly string[] } | { refusedInARow: true };

/** Sends parked lanes of a destination again: it refused them because of its settings. */
export async function unpark(tx: SqlRunner, key: DestinationKey, which: Parked): Promise<void> {
  const locked =
    'refused' in which
      ? await lock(tx, key, `l.parked_reason = 'refused' and l.subject = any($4::text[])`, [which.refused])
      : await lock(
          tx,
          key,
          `l.parked_reason = 'refused' and l.failed_at > coalesce(d.last_success_at, '-infinity')`,
          [],
        );
  await apply(tx, key, locked, () => ({ kind: 'unparked' }));
}

/**
 * Sends one lane at once, parked or waiting. A call whose outcome is open is repeated unchanged.
 *
 * @returns why it was parked, null if it only waited; undefined when nothing is pending
 */
export async function retry(
  tx: SqlRunner,
  key: DestinationKey,
  subject: string,
): Promise<{ parkedReason: string | null } | undefined> {
  const [locked] = await lock(tx, key, 'l.subject = $4', [subject]);
  if (locked === undefined || locked.lane.state === 'idle') return undefined;
  await apply(tx, key, [locked], () => ({ kind: 'unparked' }));
  return { parkedReason: locked.lane.parkedReason };
}
