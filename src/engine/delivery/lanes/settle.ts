import type { Database } from '../../../base/database/database.js';
import type { DomainEvents } from '../../../base/domain-events.js';
import { recordAttempts } from '../attempts/record.js';
import { addOutcomes } from '../hours/delivery-hours.js';
import { ChangeParked, MessageGivenUp } from '../delivery.events.js';
import type { DestinationKey } from '../destination.js';
import type { LaneState, SettledStep } from '../lane-state.js';
import { apply, lock } from './lock.js';
import { removeDelivered } from './remove.js';
import { plainOf, settlePlain } from './settle-plain.js';
import type { LaneChange } from './write.js';

/** How a batch is settled. */
export interface SettleOptions {
  /** The number of own failures that parks a lane. */
  ownFailureLimit: number;
  /** Lanes stay for newer changes of their subjects; else the lane of a delivered message is removed. */
  folds: boolean;
  /** Also note that the destination took this number of calls; 0: note nothing. */
  delivered: number;
  /** Carries `ChangeParked`, in the transaction that parks. */
  events: DomainEvents;
}

/** A lane that a batch has parked, with its changes up to `through`. */
export interface ParkedLane {
  subject: string;
  through: number;
  reason: string;
}

/** What a batch has left: how many lanes are due again, and which were parked. */
export interface SettledBatch {
  due: number;
  parked: ParkedLane[];
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
): Promise<SettledBatch> {
  const sorted = [...steps].sort((a, b) => (a.lane.subject < b.lane.subject ? -1 : 1));
  const plain = sorted.flatMap((step) => plainOf(step, options.folds) ?? []);
  const written = await settlePlain(db, key, plain, options.delivered, options.folds);
  const rest = sorted.filter(({ lane }) => !written.has(lane.subject));
  if (rest.length === 0) return { due: 0, parked: [] };
  const { changes, parked } = await settleLocked(db, key, rest, new Set(plain.map(({ step }) => step)), options);
  const left = (state: LaneState): LaneChange[] => changes.filter(({ after }) => after.state === state);
  if (!options.folds) {
    const idle = left('idle').map(({ subject }) => subject);
    await removeDelivered(db, key, idle);
  }
  return { due: left('due').length, parked };
}

function settleLocked(
  db: Database,
  key: DestinationKey,
  steps: readonly SettledStep[],
  recorded: ReadonlySet<SettledStep>,
  { ownFailureLimit, folds, events }: SettleOptions,
): Promise<{ changes: LaneChange[]; parked: ParkedLane[] }> {
  const stepOf = new Map(steps.map((step) => [step.lane.subject, step]));
  return db.transaction(key.tenantId, async (tx) => {
    const locked = await lock(tx, key, 'l.subject = any($4::text[])', [[...stepOf.keys()]]);
    const open = steps.filter((step) => !recorded.has(step));
    const attempts = open.flatMap((step) => step.attempts.map((attempt) => ({ ...step.lane, attempt })));
    await recordAttempts(tx, key, attempts);
    const changes = await apply(tx, key, locked, ({ subject, epoch, lastSuccessAt }) => {
      const { event } = stepOf.get(subject)!;
      return event.kind === 'settled' ? { ...event, epoch, lastSuccessAt, ownFailureLimit } : event;
    });
    if (folds) {
      const isParked = ({ before, after }: LaneChange): boolean =>
        before.state !== 'parked' && after.state === 'parked';
      await addOutcomes(tx, key, open, changes.filter(isParked).length);
    }
    const parked: ParkedLane[] = [];
    for (const { subject, after } of changes) {
      const { lane, event } = stepOf.get(subject)!;
      if (event.kind === 'settled' && event.givenUp !== undefined) {
        const { reason, message } = event.givenUp;
        await events.publish(new MessageGivenUp(tx, key, event.through ?? lane.call.through, reason, message));
      }
      // Whether a refusal is about the subject is judged after this: it may be the settings of the destination.
      if (after.parkedReason === null || after.parkedReason === 'refused') continue;
      const one = { subject, through: lane.call.through, reason: after.parkedReason };
      parked.push(one);
      await events.publish(new ChangeParked(tx, key, one.subject, one.through, one.reason));
    }
    return { changes, parked };
  });
}
