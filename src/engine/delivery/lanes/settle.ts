import type { Database } from '../../../base/database/database.js';
import type { DomainEvents } from '../../../base/domain-events.js';
import { recordAttempts } from '../attempts/record.js';
import { ChangeParked, MessageGivenUp } from '../delivery.events.js';
import type { DestinationKey } from '../destination.js';
import type { LaneEvent, SettledStep } from '../lane-state.js';
import { apply, lock } from './lock.js';
import { removeDelivered } from './remove.js';
import { plainOf, settlePlain } from './settle-plain.js';
import type { LaneChange } from './write.js';

/** How a batch is settled. */
export interface SettleOptions {
  /** So many own failures park a lane. */
  ownFailureLimit: number;
  /** Lanes stay for newer changes of their subjects; else the lane of a delivered message is removed. */
  folds: boolean;
  /** Also note that the destination took something. */
  touch: boolean;
  /** Carries `ChangeParked`, in the transaction that parks. */
  events: DomainEvents;
}

/** How many of the settled lanes are due again, which have nothing pending, and which were parked. */
export interface Settled {
  due: number;
  idle: string[];
  parked: { subject: string; reason: string }[];
}

/**
 * Records what became of leased lanes of one destination, and their requests.
 *
 * Nearly every step is plain: nothing has happened to the lane since its claim, and nothing is pending after the call.
 * Such steps are settled optimistically, in one statement. All others, and plain ones that something newer has reached,
 * go the pessimistic way in one transaction: lock, transition, write. A lease that was lost changes nothing.
 */
export async function settle(
  db: Database,
  key: DestinationKey,
  steps: readonly SettledStep[],
  options: SettleOptions,
): Promise<Settled> {
  const sorted = [...steps].sort((a, b) => (a.lane.subject < b.lane.subject ? -1 : 1));
  const plain = sorted.flatMap((step) => plainOf(step, options.folds) ?? []);
  const written = await settlePlain(db, key, plain, options.touch, options.folds);
  const known = new Set(plain.map(({ step }) => step));
  const rest = sorted.filter(({ lane }) => !written.has(lane.subject));
  const changes = rest.length === 0 ? [] : await settleLocked(db, key, rest, known, options);
  const settled = summary(written, changes);
  if (!options.folds)
    await removeDelivered(
      db,
      key,
      settled.idle.filter((subject) => !written.has(subject)),
    );
  return settled;
}

function settleLocked(
  db: Database,
  key: DestinationKey,
  steps: readonly SettledStep[],
  recorded: ReadonlySet<SettledStep>,
  { ownFailureLimit, events }: SettleOptions,
): Promise<LaneChange[]> {
  const stepOf = new Map(steps.map((step) => [step.lane.subject, step]));
  return db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.subject = any($4::text[])', [[...stepOf.keys()]]);
    const attempts = steps.flatMap((step) =>
      recorded.has(step) ? [] : step.attempts.map((attempt) => ({ ...step.lane, attempt })),
    );
    await recordAttempts(tx, key, attempts);
    const changes = await apply(tx, key, locked, ({ subject, epoch, lastSuccessAt }) =>
      eventOf(stepOf.get(subject)!, { epoch, lastSuccessAt, ownFailureLimit }),
    );
    for (const { subject, after } of changes) {
      const { lane, settlement } = stepOf.get(subject)!;
      if (settlement?.givenUp !== undefined) {
        const through = settlement.through ?? lane.call.through;
        await events.publish(
          new MessageGivenUp(tx, key, through, settlement.givenUp.reason, settlement.givenUp.message),
        );
      }
      const { parkedReason: reason } = after;
      // Whether a refusal is about the subject is judged after this.
      if (reason === null || reason === 'refused') continue;
      await events.publish(new ChangeParked(tx, key, subject, stepOf.get(subject)!.lane.call.through, reason));
    }
    return changes;
  });
}

function eventOf(
  { lane: { token, call }, settlement }: SettledStep,
  now: { epoch: number; lastSuccessAt: Date | null; ownFailureLimit: number },
): LaneEvent {
  if (settlement === null) return { kind: 'handed_back', token };
  return { kind: 'settled', token, call, settlement, ...now };
}

function summary(plain: ReadonlySet<string>, changes: readonly LaneChange[]): Settled {
  const idle = changes.flatMap(({ subject, after: { state } }) => (state === 'idle' ? [subject] : []));
  return {
    due: changes.filter(({ after }) => after.state === 'due').length,
    idle: [...plain, ...idle],
    parked: changes.flatMap(({ subject, after: { parkedReason } }) =>
      parkedReason === null ? [] : [{ subject, reason: parkedReason }],
    ),
  };
}
