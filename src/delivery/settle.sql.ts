import { deliveryId, type LeasedLane, type Lookup } from './call.js';
import { CREATE_OUT, STATE_WITHOUT_ANSWER } from './call.sql.js';
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

/** A step with its requests. */
export interface SettledStep {
  settlement: Settlement;
  attempts: readonly Attempt[];
}

export interface SettleOptions {
  /** So many charged failures park a lane. */
  poisonAfter: number;
  /** Also note that the destination took something. */
  touch: boolean;
}

// True where the target moved on while the call was out: then the newer change takes its place instead of being parked
// with it. A call that is dropped so may have taken effect: what the platform has is not known any more, and an account
// that it may have created is looked for (lookup `lost`). A failure is charged only if somebody else's call succeeded since the last one.
const NEWER = `(l.last_pending > r.through or l.round > r.round)`;
// It was asked to send this person again while the call was out: whatever the call achieved, it does not count for that.
const AGAIN = `(l.round > r.round)`;
const CHARGED = `(l.attempts + (r.charge and (l.failed_at is null or coalesce(d.last_success_at > l.failed_at, false)))::int)`;
// It was answered, and somebody else has to go first: however long that takes, its failures meanwhile do not add up.
const WAITS = `(not r.failed and r.wait_ms is not null)`;
const OUTDONE = `(r.charge and ${NEWER} and ${CHARGED} >= $20)`;
// The first of its repetitions may have taken effect, whatever the last one was answered.
const REPEATED = `(not r.keep and not r.done and l.call_by <> r.token)`;
const PARKED = `(case when ${NEWER} then null when r.parked is not null then r.parked
                      when r.charge and ${CHARGED} >= $20 then 'poison' end)`;

const BOUND = `case when r.bind is null then l.platform_id else nullif(r.bind, '') end`;
const STATE_SAID = `case when ${AGAIN} then null else coalesce(l.call->>'state', l.target_state) end`;
const PERSON_SAID = `case when ${AGAIN} then null else coalesce(l.call->>'person', l.target_person) end`;
const STILL_PENDING = `case when ${NEWER} then least(r.through + 1, l.last_pending) end`;
const PENDING_SINCE = `case when ${NEWER} then (l.call->>'at')::timestamptz end`;
// Only the holder of the lease may, and only under the address for which the lane was leased.
const HELD = `l.tenant_id = $1 and l.user_id = r.user_id and l.lease_token = r.token and l.epoch = r.epoch
  and r.epoch = d.epoch`;
const ANSWER = `l.user_id, l.parked, (l.first_pending is not null and l.parked is null and l.next_at <= now()) as due`;
const TOUCHED = (when: string): string =>
  `update destinations set last_success_at = now(), refusals = '[]' where tenant_id = $1 and ${when}`;
const ATTEMPTS = `insert into attempts (tenant_id, user_id, delivery_id, first_sequence, last_sequence, method, path,
  status, outcome, detail, answer, duration_ms, sent_at, n)`;

/**
 * What nearly every step comes to: the platform took it at the first request. The same as `SETTLE`, for that case
 * alone and at half the cost.
 */
export const SETTLE_DELIVERED = `
  with r as (
    select * from unnest($2::text[], $3::uuid[], $4::bigint[], $5::int[], $6::int[], $7::text[], $8::text[],
      $9::bigint[], $10::text[], $11::text[], $12::int[], $13::int[], $14::timestamptz[])
    with ordinality as r(user_id, token, through, round, epoch, bind, delivery_id, first, method, path, status, ms,
      sent_at, n)
  ), d as (
    select epoch from destinations where tenant_id = $1
  ), touched as (${TOUCHED('$15')}
  ), tried as (
    ${ATTEMPTS}
    select $1, user_id, delivery_id, first, through, method, path, status, 'delivered', null, null, ms, sent_at, n from r
  )
  update lanes l set
    lease_until = null, lease_token = null, calling = false, call = null, lookup = null,
    platform_id = ${BOUND},
    confirmed_state = ${STATE_SAID},
    confirmed_person = ${PERSON_SAID},
    confirmed_through = greatest(l.confirmed_through, r.through),
    confirmed_at = now(),
    first_pending = ${STILL_PENDING},
    pending_since = ${PENDING_SINCE},
    attempts = 0, tries = 0, failed_at = null, next_at = '-infinity'
  from r, d where ${HELD}
  returning ${ANSWER}`;

/** Settles a batch of leased lanes of one tenant, whatever became of them, and inserts their attempts. */
export const SETTLE = `
  with r as (
    select * from unnest($2::text[], $3::uuid[], $4::bigint[], $5::int[], $6::int[], $7::boolean[], $8::boolean[],
      $9::boolean[], $10::text[], $11::text[], $12::text[], $13::int[], $14::boolean[], $15::boolean[], $16::int[],
      $17::text[], $18::text[])
    as r(user_id, token, through, round, epoch, done, keep, confirm, bind, adopted, lookup, tries, failed, charge,
         wait_ms, parked, parked_detail)
  ), d as (
    select epoch, last_success_at from destinations where tenant_id = $1
  ), touched as (${TOUCHED('$19')}
  ), tried as (
    ${ATTEMPTS}
    select $1, a.* from unnest($21::text[], $22::text[], $23::bigint[], $24::bigint[], $25::text[], $26::text[],
      $27::int[], $28::text[], $29::text[], $30::text[], $31::int[], $32::timestamptz[]) with ordinality as a
  )
  update lanes l set
    lease_until = null,
    lease_token = null,
    calling = r.keep and not ${OUTDONE},
    call = case when r.keep and not ${OUTDONE} then l.call end,
    lookup = case when ${OUTDONE} and ${CREATE_OUT} then '{"why":"lost"}'::jsonb else r.lookup::jsonb end,
    platform_id = ${BOUND},
    adopted = coalesce(r.adopted, l.adopted),
    confirmed_state = case when r.confirm or ${AGAIN} then ${STATE_SAID} when r.bind = '' then null
                           when ${OUTDONE} or ${REPEATED} then ${STATE_WITHOUT_ANSWER} else l.confirmed_state end,
    confirmed_person = case when r.confirm or ${AGAIN} then ${PERSON_SAID} when r.bind = '' then null
                            else l.confirmed_person end,
    confirmed_through = case when r.done then greatest(l.confirmed_through, r.through) else l.confirmed_through end,
    confirmed_at = case when r.done then now() else l.confirmed_at end,
    first_pending = case when r.done then ${STILL_PENDING} else l.first_pending end,
    pending_since = case when r.done then ${PENDING_SINCE} else l.pending_since end,
    attempts = case when r.done or (${NEWER} and not r.keep) or ${WAITS} then 0
                    when r.failed then ${CHARGED} else l.attempts end,
    tries = r.tries,
    failed_at = case when r.failed then now() when r.done then null else l.failed_at end,
    next_at = case when r.wait_ms is null then '-infinity' else now() + r.wait_ms * interval '1 millisecond' end,
    parked = ${PARKED},
    parked_detail = case when ${PARKED} is not null then r.parked_detail end,
    parked_at = case when ${PARKED} is not null then now() end
  from r, d where ${HELD}
  returning ${ANSWER}`;

/** Whether a step is one that `SETTLE_DELIVERED` can settle. */
export function isPlainDelivery({ settlement, attempts }: SettledStep): boolean {
  const { done, confirm, adopted } = settlement;
  return done && confirm && adopted === undefined && attempts.length === 1 && attempts[0]!.outcome === 'delivered';
}

/** The parameters of `SETTLE_DELIVERED`. In: plain deliveries, each with its one attempt. */
export function deliveredValues(tenantId: string, steps: readonly SettledStep[], touch: boolean): unknown[] {
  const of = <T>(pick: (s: Settlement, a: Attempt) => T): T[] =>
    steps.map(({ settlement, attempts }) => pick(settlement, attempts[0]!));
  return [
    tenantId,
    of((s) => s.lane.userId),
    of((s) => s.lane.token),
    of((s) => s.lane.call.through),
    of((s) => s.lane.call.round),
    of((s) => s.lane.call.epoch),
    of(boundTo),
    of((s) => deliveryId(s.lane.userId, s.lane.call)),
    of((s) => s.lane.call.first),
    of((_, a) => a.method),
    of((_, a) => a.path),
    of((_, a) => a.status),
    of((_, a) => a.ms),
    of((_, a) => a.sentAt),
    touch,
  ];
}

/** The parameters of `SETTLE`. */
export function settleValues(tenantId: string, steps: readonly SettledStep[], options: SettleOptions): unknown[] {
  const attempts = steps.flatMap(({ settlement, attempts }) =>
    attempts.map((attempt) => ({ lane: settlement.lane, attempt })),
  );
  const of = <T>(pick: (s: Settlement) => T): T[] => steps.map(({ settlement }) => pick(settlement));
  const each = <T>(pick: (a: Attempt, lane: LeasedLane) => T): T[] => attempts.map((a) => pick(a.attempt, a.lane));
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
    of(boundTo),
    of((s) => s.adopted ?? null),
    of((s) => (s.lookup === null ? null : JSON.stringify(s.lookup))),
    of((s) => s.tries),
    of((s) => s.failed),
    of((s) => s.charge),
    of((s) => s.waitMs),
    of((s) => s.parked ?? null),
    of((s) => s.parkedDetail ?? null),
    options.touch,
    options.poisonAfter,
    each((_, lane) => lane.userId),
    each((_, lane) => deliveryId(lane.userId, lane.call)),
    each((_, lane) => lane.call.first),
    each((_, lane) => lane.call.through),
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

/** The binding as the statements read it: an id, an empty text to forget it, null to leave it. */
function boundTo({ bind }: Settlement): string | null {
  return bind === undefined ? null : (bind ?? '');
}
