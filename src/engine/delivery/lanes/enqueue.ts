import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import type { TargetState } from '../call.js';
import type { DestinationKey } from '../destination.js';

/** What a destination is to have, and the part of the statement that made it so. */
export interface Enqueued {
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
