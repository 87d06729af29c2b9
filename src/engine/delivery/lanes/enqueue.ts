import type { Database } from '../../../base/database/database.js';
import type { Params } from '../../../base/database/params.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import type { DestinationKey } from '../destination.js';
import { type TargetState, digestOf } from '../outcome.js';
import { apply, lock } from './write.js';

interface Enqueued {
  state: TargetState;
  body: string;
  /** Its rows have `subject`, `sequence` and `occurred_at`. */
  change: Part;
}

/**
 * Adds the lanes of a change to the statement that makes the change. The row is locked from here to the commit, so the
 * sequences of one subject follow the order of the commits.
 */
export function enqueue(statement: WriteStatement, key: DestinationKey, { state, body, change }: Enqueued): void {
  statement.add(
    (p) => `insert into lanes as l (tenant_id, channel, destination, subject, state, target_state, target_body, rank,
        first_pending, last_pending, pending_since)
      select ${p.shared(key.tenantId)}, ${p.shared(key.channel)}, ${p.shared(key.id)}, c.subject, 'due',
        ${p.add(state, 'text')}, ${p.add(body, 'text')}, ${p.add(state === 'active' ? 1 : 0, 'smallint')},
        c.sequence, c.sequence, c.occurred_at
      from ${change.name} c ${p.joined('c.subject')}
      on conflict (tenant_id, channel, destination, subject) do update set ${ENQUEUED}
      where excluded.last_pending > l.last_pending`,
    { each: true },
  );
}

// The event `enqueued` of `transition`, a column a line: a test compares the two for lanes in every state. It stays in
// the statement of the change, because a round trip costs about a tenth of a write.
const ENQUEUED = `
  target_state = excluded.target_state,
  target_body = excluded.target_body,
  rank = excluded.rank,
  first_pending = coalesce(l.first_pending, excluded.first_pending),
  last_pending = excluded.last_pending,
  pending_since = coalesce(l.pending_since, excluded.pending_since),
  -- atOnce: a lease is left as it is
  state = case when l.state = 'calling' then 'calling' else 'due' end,
  next_at = case when l.state = 'calling' then l.next_at else '-infinity' end,
  own_failure_count = 0,
  parked_reason = null,
  parked_detail = null,
  -- a parked call is dropped; what stays known without its answer was stored when it was parked
  call = case when l.state <> 'parked' then l.call end,
  newer_since = case when l.state <> 'parked' and l.call is not null
                     then coalesce(l.newer_since, excluded.pending_since) end`;

/** A destination of a channel that keeps every message. */
export interface Receiver {
  id: string;
  /** Messages about one record go one after the other. */
  ordered: boolean;
}

/** Messages that a statement writes, as SQL about rows `m` of its part. */
interface Messages {
  part: Part;
  id: string;
  record: string;
  at: string;
}

/**
 * Adds a lane for each message and each destination that takes it to the statement that makes the message. A lane has no body:
 * the channel reads it when it sends. Where messages about one record are in order, the record has one lane, from its first
 * waiting message to its last.
 */
export function enqueueMessages(
  statement: WriteStatement,
  key: { tenantId: string; channel: string },
  receivers: readonly Receiver[],
  messages: Messages,
): void {
  if (receivers.length === 0) return;
  const { part, id, record, at } = messages;
  const subject = `case when r.ordered then coalesce(${record}, ${id}) else ${id} end`;
  statement.add(
    (p) =>
      lanesSql(
        p,
        key,
        receivers,
        `select r.id, ${subject} as subject, m.sequence as first, m.sequence as last, ${at} as at
         from ${part.name} m cross join (values ${valuesSql(p, receivers)}) as r(id, ordered)`,
      ),
    { each: true },
  );
}

/** Adds the lanes of messages of several names; those of one record share a lane. */
export function enqueueNamedMessages(
  statement: WriteStatement,
  key: { tenantId: string; channel: string },
  receivers: readonly (Receiver & { names: readonly string[] })[],
  { part, id, record, at, name }: Messages & { name: string },
): void {
  const taken = receivers.flatMap((receiver) => receiver.names.map((one) => ({ ...receiver, name: one })));
  if (taken.length === 0) return;
  const subject = `case when r.ordered then coalesce(${record}, ${id}) else ${id} end`;
  statement.add((p) =>
    lanesSql(
      p,
      key,
      receivers,
      `select r.id, ${subject} as subject, min(m.sequence) as first, max(m.sequence) as last, min(${at}) as at
       from ${part.name} m join ${namedSql(p, taken)} as r(id, name, ordered) on r.name = ${name}
       group by 1, 2 order by 1, 2`,
    ),
  );
}

function lanesSql(
  p: Params,
  { tenantId, channel }: { tenantId: string; channel: string },
  receivers: readonly Receiver[],
  owed: string,
): string {
  // The id of a new message is in no lane yet; only a record may have one, and looking for it costs.
  const mayExist = receivers.some(({ ordered }) => ordered);
  return `insert into lanes as l (tenant_id, channel, destination, subject, state, target_state, target_body, rank,
      first_pending, last_pending, pending_since)
    select ${p.shared(tenantId)}, ${p.shared(channel)}, o.id, o.subject, 'due', 'active', '', 1, o.first, o.last,
      o.at
    from (${owed}) o
    ${mayExist ? ON_CONFLICT : ''}`;
}

// A further message of a record. The first message waits or is being sent, so its pause and its tries stay. A lane without
// anything pending was just delivered and is about to be removed.
const FURTHER = `
  last_pending = excluded.last_pending,
  first_pending = coalesce(l.first_pending, excluded.first_pending),
  pending_since = coalesce(l.pending_since, excluded.pending_since),
  newer_since = case when l.call is not null then coalesce(l.newer_since, excluded.pending_since) end,
  state = case when l.state = 'idle' then 'due' else l.state end,
  rank = case when l.state = 'idle' then 1 else l.rank end`;

const ON_CONFLICT = `on conflict (tenant_id, channel, destination, subject) do update set ${FURTHER}
    where excluded.last_pending > l.last_pending`;

// The planner takes an array for a hundred rows, and makes a hash of them.
function valuesSql(p: Params, receivers: readonly Receiver[]): string {
  return receivers.map(({ id, ordered }) => `(${p.shared(id, 'text')}, ${ordered})`).join(', ');
}

function namedSql(p: Params, taken: readonly { id: string; name: string; ordered: boolean }[]): string {
  const ids = taken.map(({ id }) => id);
  const names = taken.map(({ name }) => name);
  const ordered = taken.map((one) => one.ordered);
  return `unnest(${p.add(ids, 'text[]')}, ${p.add(names, 'text[]')}, ${p.add(ordered, 'boolean[]')})`;
}

interface ImportedAccount {
  subject: string;
  epoch: number;
  accountId: string;
  state: TargetState;
  body: string;
}

/** Binds an account to its subject. A lane with an open call finds its account on its own. */
export async function importAccount(db: Database, key: DestinationKey, account: ImportedAccount): Promise<void> {
  const { subject, epoch, accountId, state, body } = account;
  const digest = digestOf(body);
  const { rowCount } = await db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, last_pending,
       epoch, platform_id, account, confirmed_state, confirmed_digest, confirmed_at)
     values ($1, $2, $3, $4, 'idle', $5, $6, 1, 0, $7, $8, 'bound', $5, $9, now())
     on conflict (tenant_id, channel, destination, subject) do nothing`,
    [key.tenantId, key.channel, key.id, subject, state, body, epoch, accountId, digest],
  );
  if (rowCount === 1) return;
  await db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.subject = $4', [subject]);
    await apply(tx, key, locked, () => ({ kind: 'imported', epoch, accountId, state, digest }));
  });
}
