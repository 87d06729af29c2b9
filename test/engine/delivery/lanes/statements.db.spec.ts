import { WriteStatement } from '../../../../src/base/database/write-statement.js';
import type { Destination } from '../../../../src/engine/delivery/destination.js';
import type { Lane, LaneEvent } from '../../../../src/engine/delivery/lane-state.js';
import { claim } from '../../../../src/engine/delivery/lanes/claim.js';
import { enqueue } from '../../../../src/engine/delivery/lanes/enqueue.js';
import {
  claimedLane,
  transition,
  LANE_COLUMNS,
  laneOf,
  type LaneRow,
} from '../../../../src/engine/delivery/lanes/lane.js';
import { apply, lock } from '../../../../src/engine/delivery/lanes/write.js';
import { platformOf } from '../../../../src/forwarding/connections.js';
import { Harness } from '../../../forwarding/harness.js';
import { BODY, EARLIER, EVENTS, LANES, LATER, NOW } from '../../../support/lanes.js';

// What `transition` says, and what the statements do, is the same for lanes in every state.
let h: Harness;
let t: string;
let destination: Destination;
beforeAll(async () => {
  h = await Harness.start();
  t = await h.tenant('statements');
  destination = (await h.destinations.read(platformOf(t)))!;
});
afterAll(() => h.stop());
beforeEach(() => h.db.query(`delete from lanes where tenant_id = $1`, [t]));

const POLICY = { active: 'inactive', inactive: 'inactive', deleted: 'delete' } as const;

async function store(lane: Lane): Promise<void> {
  const values = {
    tenant_id: t,
    subject: 'usr_1',
    state: lane.state,
    target_state: lane.target,
    target_body: BODY,
    rank: lane.rank,
    first_pending: lane.firstPending,
    last_pending: lane.lastPending,
    pending_since: lane.pendingSince,
    newer_since: lane.newerSince,
    round: lane.round,
    epoch: lane.epoch,
    call_count: lane.callCount,
    call: lane.call && JSON.stringify(lane.call),
    lease_token: lane.leaseToken,
    lookup: lane.lookup && JSON.stringify(lane.lookup),
    platform_id: lane.accountId,
    account: lane.account,
    confirmed_state: lane.confirmedState,
    confirmed_digest: lane.confirmedDigest,
    confirmed_through: lane.confirmedThrough,
    confirmed_at: lane.confirmedAt,
    failure_count: lane.failureCount,
    own_failure_count: lane.ownFailureCount,
    failed_at: lane.failedAt,
    next_at: lane.nextAt ?? '-infinity',
    parked_reason: lane.parkedReason,
    parked_detail: lane.parkedDetail,
  };
  const places = Object.keys(values).map((_, i) => `$${i + 1}`);
  await h.db.query(
    `insert into lanes (${Object.keys(values).join(', ')}) values (${places.join(', ')})`,
    Object.values(values),
  );
}

async function stored(): Promise<Lane & { body: string }> {
  const { rows } = await h.db.query<LaneRow & { target_body: string }>(
    `select ${LANE_COLUMNS}, l.target_body from lanes l where l.tenant_id = $1`,
    [t],
  );
  return { ...laneOf(rows[0]!), body: rows[0]!.target_body };
}

describe('enqueue', () => {
  it.each(Object.entries(LANES).flatMap(([name, lane]) => [11, 0].map((sequence) => [name, sequence, lane] as const)))(
    'writes the state of the event: %s, change %i',
    async (_, sequence, lane) => {
      await store(lane);
      const statement = new WriteStatement().subject(() => `select 1 as id`);
      const change = statement.add(
        (p) => `select 'usr_1' as subject, ${p.add(sequence, 'bigint')} as sequence,
          ${p.add(NOW, 'timestamptz')} as occurred_at from subject`,
      );
      enqueue(statement, platformOf(t), { state: 'inactive', body: '{"new":true}', change });
      await statement.run(h.db);
      const event: LaneEvent = { kind: 'enqueued', sequence, target: 'inactive', rank: 0, at: NOW };
      const expected = transition(lane, event, NOW);
      expect(await stored()).toEqual({ ...expected, body: expected === lane ? BODY : '{"new":true}' });
    },
  );
});

/** What a call does not say of its lane. */
const UNSAID = {
  rank: 1,
  pendingSince: null,
  confirmedThrough: 7,
  confirmedAt: null,
  ownFailureCount: 0,
  failedAt: null,
  nextAt: null,
};

describe('claim', () => {
  const FAR = new Date('2100-01-01T00:00:00.000Z');
  const future = (lane: Lane): Lane => (lane.nextAt === LATER ? { ...lane, nextAt: FAR } : lane);
  it.each(Object.entries(LANES).flatMap(([name, lane]) => [false, true].map((early) => [name, early, lane] as const)))(
    'writes the state of the event: %s, early %s',
    async (_, early, sample) => {
      const lane = future(sample);
      await store(lane);
      const claimed = await claim(h.db, destination, {
        limit: 1,
        leaseMs: 60_000,
        mode: 'normal',
        policy: POLICY,
        early,
      });
      const after = await stored();
      if (claimed.length === 0) {
        expect(transition(lane, { ...EVENTS['claimed']!(lane), early } as LaneEvent, new Date())).toBe(lane);
        return;
      }
      const { token, call } = claimed[0]!;
      const until = after.nextAt!;
      const event = { kind: 'claimed', token, until, epoch: 1, policy: POLICY, body: BODY, early } as const;
      expect(after).toEqual({ ...transition(lane, event, new Date()), body: BODY });
      expect(call).toEqual(after.call);
      const { body: _body, ...lane_ } = after;
      if (lane.call === null) expect(claimedLane(claimed[0]!)).toEqual({ ...lane_, ...UNSAID });
    },
  );
});

describe('a locked lane', () => {
  const cases = Object.entries(LANES).flatMap(([name, lane]) =>
    Object.entries(EVENTS)
      .filter(([event]) => !event.startsWith('claimed') && !event.startsWith('enqueued'))
      .map(([event, of]) => [event, name, lane, of] as const),
  );
  it.each(cases)('gets the state of the event: %s, %s', async (_event, _name, lane, of) => {
    await store(lane);
    const event = of(lane);
    await h.db.transaction(t, async (tx) => {
      const locked = await lock(tx, platformOf(t), 'l.subject = $4', ['usr_1']);
      expect(locked.map((one) => one.lane)).toEqual([lane]);
      await apply(
        tx,
        platformOf(t),
        locked.map((one) => ({ ...one, now: NOW })),
        () => event,
      );
    });
    expect(await stored()).toEqual({ ...transition(lane, event, NOW), body: BODY });
  });
});

it('a lane that breaks the rules of its state cannot be stored', async () => {
  await expect(store({ ...LANES['due']!, state: 'idle' })).rejects.toMatchObject({ constraint: 'lane_state' });
  await expect(store({ ...LANES['calling']!, leaseToken: null })).rejects.toMatchObject({ constraint: 'lane_state' });
  await expect(store({ ...LANES['due']!, nextAt: EARLIER })).rejects.toMatchObject({ constraint: 'lane_state' });
  await expect(store({ ...LANES['due']!, account: 'bound' })).rejects.toMatchObject({ constraint: 'lane_account' });
});
