import type { Database } from '../../base/database/database.js';
import { ATTEMPTS_ARRAYS, attemptValues, type AttemptsOfCall } from '../attempts/record.js';
import type { DestinationKey } from '../destinations/destination.js';
import type { LaneEvent, LeasedLane, Settlement } from '../lane-state.js';
import { transition } from '../lane.js';
import type { Attempt } from '../outcome.js';
import { apply, lock } from './lock.js';
import { LANE_ASSIGNMENTS, laneArrays, LANE_UNCHANGED, laneValues, type LaneChange } from './write.js';

/** A leased lane, what its outcome means, and its requests. No settlement: the lane is handed back. */
export interface SettledStep {
  lane: LeasedLane;
  settlement: Settlement | null;
  attempts: readonly Attempt[];
}

/** How a batch is settled. */
export interface SettleOptions {
  /** So many own failures park a lane. */
  ownFailureLimit: number;
  /** Also note that the destination took something. */
  touch: boolean;
}

/** How many of the settled lanes are due again, which have nothing pending, and which were parked. */
export interface Settled {
  due: number;
  idle: string[];
  parked: { subject: string; reason: string }[];
}

// The first row of attempts has $4, the first row of lanes follows. Lanes that a newer change, another claim or another
// address has reached meanwhile are left for the second way.
const SETTLE = `
  with d as (
    select epoch from destinations where tenant_id = $1 and channel = $2 and id = $3
  ), touched as (
    update destinations set last_success_at = now(), refusals = '[]'
    where tenant_id = $1 and channel = $2 and id = $3 and $4
  ), tried as (
    insert into attempts (tenant_id, channel, destination, ${ATTEMPTS_ARRAYS.names}, n)
    select $1, $2, $3, a.* from ${ATTEMPTS_ARRAYS.rows(5)} with ordinality as a
  )
  update lanes l set ${LANE_ASSIGNMENTS}
  from d, ${laneArrays(5 + ATTEMPTS_ARRAYS.count)}
  where ${LANE_UNCHANGED} and w.epoch_before = d.epoch
  returning l.subject`;

/**
 * Records what became of leased lanes of one destination, and their requests.
 *
 * The optimistic way is one statement: nothing has happened to nearly every lane since its claim, so its transition
 * needs no other look. What is left (newer changes, and failures, which are judged by the successes of other lanes)
 * goes the pessimistic way in one transaction: lock, transition, write. A lease that was lost changes nothing.
 */
export async function settle(
  db: Database,
  key: DestinationKey,
  steps: readonly SettledStep[],
  options: SettleOptions,
): Promise<Settled> {
  const optimistic = steps
    .filter(({ settlement }) => settlement?.ownFault !== true)
    .map(expected)
    .sort(bySubject);
  const { rows } = await db.query<{ subject: string }>(SETTLE, [
    key.tenantId,
    key.channel,
    key.id,
    options.touch,
    ...attemptValues(steps.flatMap(attemptsOf)),
    ...laneValues(optimistic),
  ]);
  const written = new Set(rows.map(({ subject }) => subject));
  const rest = steps.filter(({ lane }) => !written.has(lane.subject));
  const changes = optimistic.filter(({ subject }) => written.has(subject));
  if (rest.length > 0) changes.push(...(await settleLocked(db, key, rest, options)));
  return summary(changes);
}

// In the order in which every statement locks lanes.
function bySubject(a: LaneChange, b: LaneChange): number {
  return a.subject < b.subject ? -1 : 1;
}

/** The change of a lane to which nothing has happened since its claim. */
function expected(step: SettledStep): LaneChange {
  const { lane, claimedOn, claimedAt, subject } = step.lane;
  const now = new Date(claimedOn.getTime() + performance.now() - claimedAt);
  const event = eventOf(step, { epoch: lane.epoch, lastSuccessAt: null, ownFailureLimit: Infinity });
  return { subject, before: lane, after: transition(lane, event, now) };
}

function settleLocked(
  db: Database,
  key: DestinationKey,
  steps: readonly SettledStep[],
  { ownFailureLimit }: SettleOptions,
): Promise<LaneChange[]> {
  const stepOf = new Map(steps.map((step) => [step.lane.subject, step]));
  return db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.subject = any($4::text[])', [[...stepOf.keys()]]);
    return apply(tx, key, locked, ({ subject, epoch, lastSuccessAt }) =>
      eventOf(stepOf.get(subject)!, { epoch, lastSuccessAt, ownFailureLimit }),
    );
  });
}

function eventOf(
  { lane: { token, call }, settlement }: SettledStep,
  now: { epoch: number; lastSuccessAt: Date | null; ownFailureLimit: number },
): LaneEvent {
  if (settlement === null) return { kind: 'handed_back', token };
  return { kind: 'settled', token, call, settlement, ...now };
}

function attemptsOf({ lane: { subject, call }, attempts }: SettledStep): AttemptsOfCall[] {
  return attempts.map((attempt) => ({ subject, call, attempt }));
}

function summary(changes: readonly LaneChange[]): Settled {
  return {
    due: changes.filter(({ after }) => after.state === 'due').length,
    idle: changes.flatMap(({ subject, after: { state } }) => (state === 'idle' ? [subject] : [])),
    parked: changes.flatMap(({ subject, after: { parkedReason } }) =>
      parkedReason === null ? [] : [{ subject, reason: parkedReason }],
    ),
  };
}
