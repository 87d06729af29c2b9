import type { LeasedLane, Lookup } from './call.js';
import type { Attempt } from './outcome.js';

/** What a step means for its lane. */
export interface Settlement {
  lane: LeasedLane;
  /** All changes up to the call's `through` are settled. */
  done: boolean;
  /** The outcome is unknown: the call stays, to be repeated word for word. */
  keep: boolean;
  /** The platform has the person and state of the call. */
  confirm: boolean;
  /** The platform's id: a new one, null to forget it, undefined to leave it. */
  bind?: string | null;
  adopted?: string;
  lookup: Lookup | null;
  /** Failures in a row, including this one. */
  tries: number;
  failed: boolean;
  /** The failure counts towards parking, if others succeeded since the last one. */
  charge: boolean;
  waitMs: number | null;
  parked?: string;
  parkedDetail?: string;
}

export interface AttemptRow extends Attempt {
  userId: string;
  deliveryId: string;
  first: number;
  through: number;
}

// `newer` is true where the target moved on while the call was out: then the newer change takes its place instead of
// being parked with it. Of a call that is dropped so, only one thing must not be forgotten: that a create may have
// taken effect (lookup `lost`). A failure is charged only if somebody else's call succeeded since the last one.
const NEWER = `(l.last_pending > r.through or l.round > r.round)`;
// It was asked to send this person again while the call was out: whatever the call achieved, it does not count for that.
const AGAIN = `(l.round > r.round)`;
const CHARGED = `(l.attempts + (r.charge and (l.failed_at is null or d.last_success_at > l.failed_at))::int)`;
const PARKED = `(case when ${NEWER} then null when r.parked is not null then r.parked
                      when r.charge and ${CHARGED} >= $21 then 'poison' end)`;

/**
 * Settles a batch of leased lanes of one tenant and inserts their attempts. Only the holder of the lease token may,
 * and only under the address for which the lane was leased.
 */
export const SETTLE = `
  with r as (
    select * from unnest($2::text[], $3::uuid[], $4::bigint[], $5::int[], $6::int[], $7::boolean[], $8::boolean[],
      $9::boolean[], $10::text[], $11::text[], $12::text[], $13::int[], $14::boolean[], $15::boolean[], $16::int[],
      $17::text[], $18::text[], $19::text[])
    as r(user_id, token, through, round, epoch, done, keep, confirm, bind, adopted, lookup, tries, failed, charge,
         wait_ms, parked, parked_detail, create_of)
  ), d as (
    select epoch, last_success_at from destinations where tenant_id = $1
  ), touched as (
    update destinations set last_success_at = now(), refusals = '[]' where tenant_id = $1 and $20
  ), tried as (
    insert into attempts (tenant_id, user_id, delivery_id, first_sequence, last_sequence, method, path, status, outcome,
                          detail, answer, duration_ms, sent_at)
    select $1, a.* from unnest($22::text[], $23::text[], $24::bigint[], $25::bigint[], $26::text[], $27::text[],
      $28::int[], $29::text[], $30::text[], $31::text[], $32::int[], $33::timestamptz[]) as a
  )
  update lanes l set
    lease_until = null,
    lease_token = null,
    call = case when r.keep and not (r.charge and ${NEWER} and ${CHARGED} >= $21) then l.call end,
    lookup = case when r.charge and ${NEWER} and ${CHARGED} >= $21 and r.create_of is not null
                  then '{"why":"lost"}'::jsonb else r.lookup::jsonb end,
    platform_id = case when r.bind is null then l.platform_id else nullif(r.bind, '') end,
    adopted = coalesce(r.adopted, l.adopted),
    confirmed_state = case when ${AGAIN} then null when r.confirm then l.call->>'state'
                           when r.bind = '' then null else l.confirmed_state end,
    confirmed_person = case when ${AGAIN} then null when r.confirm then l.call->>'person'
                            when r.bind = '' then null else l.confirmed_person end,
    confirmed_through = case when r.done then greatest(l.confirmed_through, r.through) else l.confirmed_through end,
    confirmed_at = case when r.done then now() else l.confirmed_at end,
    first_pending = case when not r.done then l.first_pending
                         when ${NEWER} then least(r.through + 1, l.last_pending) end,
    pending_since = case when not r.done then l.pending_since when ${NEWER} then (l.call->>'at')::timestamptz end,
    attempts = case when r.done or (${NEWER} and not r.keep) then 0 when r.failed then ${CHARGED} else l.attempts end,
    tries = r.tries,
    failed_at = case when r.failed then now() when r.done then null else l.failed_at end,
    next_at = case when r.wait_ms is null then '-infinity' else now() + r.wait_ms * interval '1 millisecond' end,
    parked = ${PARKED},
    parked_detail = case when ${PARKED} is not null then r.parked_detail end,
    parked_at = case when ${PARKED} is not null then now() end
  from r, d
  where l.tenant_id = $1 and l.user_id = r.user_id and l.lease_token = r.token and l.epoch = r.epoch
    and r.epoch = d.epoch
  returning l.user_id, l.parked, (l.first_pending is not null and l.parked is null and l.next_at <= now()) as due`;

/** The parameters of `SETTLE`. */
export function settleValues(
  tenantId: string,
  settlements: readonly Settlement[],
  attempts: readonly AttemptRow[],
  options: { poisonAfter: number; touch: boolean },
): unknown[] {
  const of = <T>(pick: (s: Settlement) => T): T[] => settlements.map(pick);
  const each = <T>(pick: (a: AttemptRow) => T): T[] => attempts.map(pick);
  return [
    tenantId,
    of((s) => s.lane.userId),
    of((s) => s.lane.token),
    of((s) => s.lane.call.through),
    of((s) => s.lane.call.round),
    of((s) => s.lane.call.epoch),
    of((s) => s.done),
    of((s) => s.keep),
    of((s) => s.confirm),
    of((s) => (s.bind === undefined ? null : (s.bind ?? ''))),
    of((s) => s.adopted ?? null),
    of((s) => (s.lookup === null ? null : JSON.stringify(s.lookup))),
    of((s) => s.tries),
    of((s) => s.failed),
    of((s) => s.charge),
    of((s) => s.waitMs),
    of((s) => s.parked ?? null),
    of((s) => s.parkedDetail ?? null),
    of((s) => (s.lane.call.state === 'active' && s.lane.call.platform_id === null ? 'create' : null)),
    options.touch,
    options.poisonAfter,
    each((a) => a.userId),
    each((a) => a.deliveryId),
    each((a) => a.first),
    each((a) => a.through),
    each((a) => a.method),
    each((a) => a.path),
    each((a) => a.status),
    each((a) => a.outcome),
    each((a) => a.detail),
    each((a) => a.answer),
    each((a) => a.ms),
    each((a) => a.sentAt),
  ];
}
