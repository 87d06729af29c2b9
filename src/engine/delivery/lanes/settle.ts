import type { SqlRunner, Database } from '../../../base/database/database.js';
import type { DomainEvents } from '../../../base/domain-events.js';
import { arraysOf, arrayParameters, type ArrayColumns, recordAttempts } from '../attempts.js';
import { addHoursSql, lagOf, addOutcomes } from '../delivery-hours.js';
import { ChangeParked, MessageGivenUp } from '../delivery.events.js';
import type { DestinationKey } from '../destination.js';
import { countLags } from '../lags.rules.js';
import type { Lane, SettledStep, LaneState } from '../lane-state.js';
import { deliveryId, type Attempt } from '../outcome.js';
import { claimedLane, isAtRest, transition } from './lane.js';
import { apply, lock, removeDelivered, type LaneChange } from './write.js';

/** A step after which nothing is pending, with its one request. */
interface PlainStep {
  step: SettledStep;
  after: Lane;
  attempt: Attempt;
}

/**
 * Returns the step if it is plain: one request without words, and a lane at rest after it.
 *
 * @param folds the lane stays for newer changes of its subject, and the answer to a success is not kept
 */
export function plainOf(step: SettledStep, folds = true): PlainStep | null {
  const { lane, event, attempts } = step;
  const [attempt] = attempts;
  if (event.kind === 'handed_back' || attempts.length !== 1 || event.givenUp !== undefined) return null;
  if (attempt!.detail !== null || (folds && attempt!.answer !== null)) return null;
  const after = transition(claimedLane(lane), event, attempt!.sentAt);
  return isAtRest(after) ? { step, after, attempt: attempt! } : null;
}

const COLUMNS: ArrayColumns<PlainStep> = [
  ['subject', 'text', ({ step }) => step.lane.subject],
  ['token', 'uuid', ({ step }) => step.lane.token],
  ['through', 'bigint', ({ step }) => step.lane.call.through],
  ['round', 'int', ({ after }) => after.round],
  ['epoch', 'int', ({ after }) => after.epoch],
  ['delivery_id', 'text', ({ step: { lane }, attempt }) => attempt.deliveryId ?? deliveryId(lane.subject, lane.call)],
  ['first', 'bigint', ({ step, attempt }) => attempt.sequence ?? step.lane.call.first],
  ['method', 'text', ({ attempt }) => attempt.method],
  ['path', 'text', ({ attempt }) => attempt.path],
  ['status', 'int', ({ attempt }) => attempt.status],
  ['outcome', 'text', ({ attempt }) => attempt.outcome],
  ['ms', 'int', ({ attempt }) => attempt.ms],
  ['sent_at', 'timestamptz', ({ attempt }) => attempt.sentAt],
];

const OF_SUBJECT: ArrayColumns<PlainStep> = [
  ...COLUMNS,
  ['platform_id', 'text', ({ after }) => after.accountId],
  ['account', 'text', ({ after }) => after.account],
  ['confirmed_state', 'text', ({ after }) => after.confirmedState],
  ['confirmed_digest', 'text', ({ after }) => after.confirmedDigest],
];

const OF_MESSAGE: ArrayColumns<PlainStep> = [
  ...COLUMNS,
  ['answer', 'text', ({ attempt }) => attempt.answer],
  ['address', 'text', ({ attempt }) => attempt.address ?? null],
];

const namesOf = (columns: ArrayColumns<PlainStep>): string => columns.map(([name]) => name).join(', ');

// A lane stays unchanged when a newer change (last_pending), a request to send again (round), another address (epoch) or
// another claim (lease_token) has reached it.
const settleSql = (columns: ArrayColumns<PlainStep>, words: string, more: string, end: string): string => `
  with r as (
    select * from ${arraysOf(columns, 5)} with ordinality as r(${namesOf(columns)}, n)
  ), d as (
    select epoch from destinations where tenant_id = $1 and channel = $2 and id = $3
  ), touched as (
    update destinations set last_success_at = now(), refusals = '[]'
    where tenant_id = $1 and channel = $2 and id = $3 and $4::int > 0
  ), ${more}tried as (
    insert into attempts (tenant_id, channel, destination, subject, delivery_id, first_sequence, last_sequence, method,
      path, status, outcome, duration_ms, sent_at, n${words})
    select $1, $2, $3, subject, delivery_id, first, through, method, path, status, outcome, ms, sent_at, n${words} from r
  )
  ${end}
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
    and l.subject = r.subject
    and l.lease_token = r.token and l.last_pending = r.through and l.round = r.round and l.epoch = r.epoch
    and r.epoch = d.epoch
  returning l.subject`;

// The rate of a destination is shown from the counts of its last minutes.
const COUNT = `counted as (
    insert into delivered_minutes as m (tenant_id, channel, destination, minute, delivered)
    select $1, $2, $3, date_trunc('minute', now()), $4::int where $4::int > 0
    on conflict (tenant_id, channel, destination, minute) do update set delivered = m.delivered + excluded.delivered
  ), over as (
    delete from delivered_minutes where tenant_id = $1 and channel = $2 and destination = $3 and $4::int > 0
      and minute < now() - interval '20 minutes'
  ), hours as (${addHoursSql(`select $1, $2, $3, date_trunc('hour', now()), 0, count(*)::int, 0, 0, $${5 + OF_SUBJECT.length}::int[]
      from r having count(*) > 0`)}
  ), `;

// Writes lanes at rest: the columns that `isAtRest` names are constants here.
const SETTLE_SUBJECTS = settleSql(
  OF_SUBJECT,
  '',
  COUNT,
  `update lanes l set
    state = 'idle', first_pending = null, pending_since = null, newer_since = null, call = null, lease_token = null,
    lookup = null, failure_count = 0, own_failure_count = 0, failed_at = null, next_at = '-infinity',
    confirmed_through = r.through, confirmed_at = now(), platform_id = r.platform_id, account = r.account,
    confirmed_state = r.confirmed_state, confirmed_digest = r.confirmed_digest
  from r, d`,
);

// The lane of a delivered message has nothing to remember.
const SETTLE_MESSAGES = settleSql(OF_MESSAGE, ', answer, address', '', `delete from lanes l using r, d`);

/**
 * Settles plain steps and records their requests. Lanes that do not fold are removed.
 *
 * @param delivered the calls that the destination took since they were last noted; 0 notes none
 * @returns the subjects whose lanes were unchanged since their claim
 */
export async function settlePlain(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  steps: readonly PlainStep[],
  delivered: number,
  folds = true,
): Promise<Set<string>> {
  if (steps.length === 0 && delivered === 0) return new Set();
  const columns = folds ? OF_SUBJECT : OF_MESSAGE;
  const values = [tenantId, channel, id, delivered, ...arrayParameters(columns, steps)];
  const { rows } = folds
    ? await db.query<{ subject: string }>(SETTLE_SUBJECTS, [...values, countLags(steps.map(({ step }) => lagOf(step)))])
    : await db.query<{ subject: string }>(SETTLE_MESSAGES, values);
  return new Set(rows.map(({ subject }) => subject));
}

interface SettleOptions {
  ownFailureLimit: number;
  folds: boolean;
  /** Notes also that the destination took this number of calls; 0 notes none. */
  delivered: number;
  events: DomainEvents;
}

export interface ParkedLane {
  subject: string;
  through: number;
  reason: string;
}

interface SettledBatch {
  due: number;
  parked: ParkedLane[];
}

/**
 * Records the outcomes of leased lanes of one destination, and their requests.
 *
 * Nearly every step is plain: the lane is unchanged since its claim, and nothing is pending after the call. Such steps are
 * settled optimistically, in one statement. All others, and plain ones that something newer has reached, go the pessimistic way
 * in one transaction: lock, transition, write. A lease that was lost changes nothing.
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
      // A refusal is judged later: the settings of the destination may be its cause.
      if (after.parkedReason === null || after.parkedReason === 'refused') continue;
      const one = { subject, through: lane.call.through, reason: after.parkedReason };
      parked.push(one);
      await events.publish(new ChangeParked(tx, key, one.subject, one.through, one.reason));
    }
    return { changes, parked };
  });
}
