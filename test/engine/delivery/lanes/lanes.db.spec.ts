import type { Destination } from '../../../../src/engine/delivery/destination.js';
import type { LeasedLane } from '../../../../src/engine/delivery/lane-state.js';
import { claim as claimLanes, type ClaimOptions } from '../../../../src/engine/delivery/lanes/claim.js';
import { pendingFiguresOf } from '../../../../src/engine/delivery/lanes/read.js';
import { settle as settleLanes, plainOf, settlePlain } from '../../../../src/engine/delivery/lanes/settle.js';
import { settlementOf } from '../../../../src/engine/delivery/lanes/settlement.rules.js';
import type { Outcome } from '../../../../src/engine/delivery/outcome.js';
import { steadyPause } from '../../../../src/engine/delivery/retry.rules.js';
import { platformOf } from '../../../../src/forwarding/connections.js';
import { Harness, until } from '../../../forwarding/harness.js';
import { createdAttempt } from '../../../support/lanes.js';
import { long } from '../../../support/rounds.js';

describe('lanes', () => {
  let h: Harness;
  let t: string;
  let destination: Destination;
  let n = 0;
  beforeAll(async () => {
    h = await Harness.start();
  });
  afterAll(() => h.stop());
  beforeEach(async () => {
    t = await h.tenant(`lanes-${++n}`);
    destination = (await h.destinations.read(platformOf(t)))!;
  });

  const policy = { active: 'inactive', inactive: 'inactive', deleted: 'delete' };
  const claim = (limit = 10, more: Partial<ClaimOptions> = {}): Promise<LeasedLane[]> =>
    claimLanes(h.db, destination, { limit, leaseMs: 60_000, mode: 'normal', policy, ...more });
  const settle = (lane: LeasedLane, outcome: Outcome, { ownFailureLimit = 8, delivered = 1 } = {}) => {
    const event = settlementOf(lane, outcome, steadyPause({ firstMs: 0, maxMs: 0 }), 0);
    return settleLanes(h.db, platformOf(t), [{ lane, event, attempts: [] }], {
      ownFailureLimit,
      folds: true,
      delivered,
      events: h.told.events,
    });
  };
  const away: Outcome = { kind: 'unavailable', reason: 'timeout', ownFault: true, retryAfterMs: null };

  it('are claimed leavers first, then by age, and by one worker only', async () => {
    for (const user of ['usr_1', 'usr_2', 'usr_3', 'usr_4']) await h.change(t, user, 'active');
    await h.change(t, 'usr_3', 'inactive');
    await h.change(t, 'usr_4', 'deleted');
    const first = await claim(3);
    expect(first.map((lane) => lane.subject)).toEqual(['usr_3', 'usr_4', 'usr_1']);
    expect((await claim()).map((lane) => lane.subject)).toEqual(['usr_2']);
    expect(await claim()).toEqual([]);
  });

  it('are each claimed once by many at the same time', async () => {
    for (let i = 0; i < 100; i++) await h.change(t, `usr_${i}`, 'active');
    const claimed = (await Promise.all(Array.from({ length: 20 }, () => claim(10)))).flat();
    expect(new Set(claimed.map((lane) => lane.subject)).size).toBe(claimed.length);
  });

  it('repeat a call that was never settled word for word, also after later changes', async () => {
    await h.change(t, 'usr_1', 'active', { last_name: 'one' });
    const [first] = await claim(1, { leaseMs: 0 });
    expect(first).toMatchObject({ fresh: true });
    const [same] = await claim(1, { leaseMs: 0 });
    expect(same!.call).toEqual(first!.call);
    expect(same).toMatchObject({ fresh: false });
    await h.change(t, 'usr_1', 'active', { last_name: 'two' });
    await h.change(t, 'usr_1', 'inactive', { last_name: 'three' });
    const [again] = await claim();
    expect(again!.call).toEqual(first!.call);
    // Only when its outcome is known does the newest target follow.
    expect(await settle(again!, { kind: 'delivered', bind: 'hp_1' })).toMatchObject({ due: 1 });
    const [next] = await claim();
    expect(next!.call).toMatchObject({
      n: 2,
      state: 'inactive',
      platform_id: 'hp_1',
      confirmed: 'active',
    });
    expect(next!.call.first).toBe(first!.call.through + 1);
  });

  it('are settled by the holder of the lease only', async () => {
    await h.change(t, 'usr_1', 'active');
    const [late] = await claim(1, { leaseMs: 0 });
    const [holder] = await claim();
    await settle(late!, { kind: 'delivered', bind: 'hp_wrong' });
    expect(await h.lane(t, 'usr_1')).toMatchObject({ platform_id: null, lease_token: holder!.token });
    await settle(holder!, { kind: 'delivered', bind: 'hp_1' });
    expect(await h.lane(t, 'usr_1')).toMatchObject({ platform_id: 'hp_1', first_pending: null, lease_token: null });
  });

  it('are settled by one statement, which counts what the destination took', async () => {
    await h.change(t, 'usr_1', 'active');
    const steps = (await claim()).map((lane) => ({
      lane,
      event: settlementOf(lane, { kind: 'delivered', bind: 'hp_1' }, steadyPause({ firstMs: 0, maxMs: 0 }), 0),
      attempts: [createdAttempt()],
    }));
    const plain = steps.map((step) => plainOf(step)!);
    expect([...(await settlePlain(h.db, platformOf(t), plain, 3))]).toEqual(['usr_1']);
    expect(await pendingFiguresOf(h.db, platformOf(t))).toMatchObject({ delivered5: 3, delivered15: 3 });
    expect(await h.lane(t, 'usr_1')).toMatchObject({ state: 'idle', platform_id: 'hp_1' });
  });

  it('are leased only for the present destination', async () => {
    await h.change(t, 'usr_1', 'active');
    await h.connect(t, { settings: { rate: 5 } });
    expect(await claim()).toEqual([]);
    destination = (await h.destinations.read(platformOf(t)))!;
    await h.db.transaction(null, (tx) => h.states.pause(tx, platformOf(t), 'by_hand', null));
    expect(await claim()).toEqual([]);
    expect(await claim(1, { mode: 'probe' })).toEqual([]);
  });

  it('forget accounts of another address', async () => {
    await h.change(t, 'usr_1', 'active');
    const [lane] = await claim();
    await settle(lane!, { kind: 'delivered', bind: 'hp_1' });
    await h.change(t, 'usr_1', 'active', { last_name: 'two' });
    const [old] = await claim(1, { leaseMs: 0 });
    destination = await h.connect(t, { baseUrl: 'http://127.0.0.1:9', key: 'k' });
    // The answer from the old address comes late, and counts for nothing.
    await settle(old!, { kind: 'delivered' });
    const [now] = await claim();
    expect(now!.call).toMatchObject({ platform_id: null, confirmed: null, epoch: 2, state: 'active' });
    expect(now!.fresh).toBe(true);
  });

  it('are unchanged when they are handed back', async () => {
    await h.change(t, 'usr_1', 'active');
    const [lane] = await claim();
    const step = { lane: lane!, event: { kind: 'handed_back', token: lane!.token } as const, attempts: [] };
    await settleLanes(h.db, platformOf(t), [step], {
      ownFailureLimit: 8,
      folds: true,
      delivered: 0,
      events: h.told.events,
    });
    const handedBack = { state: 'due', call: null, lease_token: null, own_failure_count: 0, failed_at: null };
    expect(await h.lane(t, 'usr_1')).toMatchObject(handedBack);
    expect(await claim()).toHaveLength(1);
  });

  it('count a failure as their own only if others succeeded since the last one', async () => {
    await h.change(t, 'usr_1', 'active');
    const fail = async (): Promise<Record<string, unknown>> => {
      const lane = (await claim(1, { early: true })).find(({ subject }) => subject === 'usr_1');
      await settle(lane!, away, { ownFailureLimit: 3, delivered: 0 });
      return h.lane(t, 'usr_1');
    };
    for (let i = 0; i < 5; i++) expect(await fail()).toMatchObject({ own_failure_count: 1, parked_reason: null });
    await h.change(t, 'usr_2', 'active');
    const others = (await claim(10)).filter(({ subject }) => subject === 'usr_2');
    // usr_1 was claimed as well: hand it back.
    await h.db.query(
      `update lanes set state = 'due', lease_token = null, next_at = '-infinity' where tenant_id = $1 and subject = 'usr_1'`,
      [t],
    );
    await settle(others[0]!, { kind: 'delivered', bind: 'hp_2' });
    expect(await fail()).toMatchObject({ own_failure_count: 2, parked_reason: null });
    expect(await fail()).toMatchObject({ own_failure_count: 2, parked_reason: null });
    await h.db.query(`update destinations set last_success_at = clock_timestamp() where tenant_id = $1`, [t]);
    expect(await fail()).toMatchObject({ own_failure_count: 3, state: 'parked', parked_reason: 'poison' });
    expect((await h.lane(t, 'usr_1'))['call']).not.toBeNull();
    expect(await claim(10, { early: true })).toEqual([]);
  });

  it('take a newer change when they are parked, and look for the account of a lost create', async () => {
    await h.change(t, 'usr_1', 'active');
    const [lane] = await claim();
    await settle(lane!, away, { ownFailureLimit: 1, delivered: 0 });
    expect(await h.lane(t, 'usr_1')).toMatchObject({ parked_reason: 'poison' });
    await h.change(t, 'usr_1', 'deleted');
    expect(await h.lane(t, 'usr_1')).toMatchObject({
      state: 'due',
      parked_reason: null,
      call: null,
      lookup: { why: 'lost' },
    });
    const [next] = await claim();
    expect(next!.call).toMatchObject({ n: 2, state: 'deleted', lookup: { why: 'lost' } });
  });

  it('are not parked when a newer change came before the refusal', async () => {
    await h.change(t, 'usr_1', 'active', { last_name: 'Bad' });
    const [lane] = await claim();
    await h.change(t, 'usr_1', 'active', { last_name: 'Good' });
    await settle(lane!, { kind: 'refused', status: 422, detail: 'no' });
    expect(await h.lane(t, 'usr_1')).toMatchObject({ state: 'due', call: null });
    expect(JSON.parse((await claim())[0]!.call.person)).toMatchObject({ last_name: 'Good' });
  });

  it('of one person get sequences in the order of the commits', async () => {
    await Promise.all(Array.from({ length: 50 }, (_, i) => h.change(t, 'usr_1', 'active', { last_name: `${i}` })));
    const { rows } = await h.db.query<{ last_name: string }>(
      `select person->>'last_name' as last_name from changes where tenant_id = $1 order by sequence desc limit 1`,
      [t],
    );
    expect(JSON.parse((await h.lane(t, 'usr_1'))['target_body'])).toMatchObject({ last_name: rows[0]!.last_name });
  });
});

describe('a worker', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start();
  });
  afterAll(() => h.stop());

  long('finishes open calls and hands back the other lanes when it is stopped', async () => {
    const t = await h.tenant('stop', { timeout_ms: 2_000, concurrency: 4 });
    h.sandbox.setFaults({ mode: 'slow', delay_ms: 150 }, `key-${t}`);
    for (let n = 1; n <= 60; n++) await h.change(t, `usr_${n}`, 'active');
    const { worker } = h.worker();
    await until(() => h.sandbox.peak >= 4);
    await worker.stop();
    expect(h.sandbox.inFlight).toBe(0);
    const { rows } = await h.db.query(
      `select 1 from lanes where tenant_id = $1 and (lease_token is not null or call is not null)`,
      [t],
    );
    expect(rows).toEqual([]);
    const sent = (await h.calls(t)).length;
    expect((await h.counts(t)).pending).toBe(60 - sent);
  });

  long('begins when it is woken, without waiting for the next poll', async () => {
    const t = await h.tenant('wake');
    const { worker } = h.worker({ pollMs: 60_000 });
    await until(async () => (await h.counts(t)).total === 0);
    for (let n = 1; n <= 20; n++) {
      await h.change(t, `usr_${n}`, 'active');
      worker.wake(platformOf(t));
      await until(async () => (await h.counts(t)).pending === 0);
    }
    await worker.stop();
  });

  long('continues after the database was away', async () => {
    const t = await h.tenant('database');
    const { worker } = h.worker();
    await h.change(t, 'usr_1', 'active');
    await h.drained(t);
    for (let round = 0; round < 3; round++) {
      await h.database.owner
        .query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        )
        .catch(() => undefined);
      for (let n = 1; n <= 20; n++) await again(() => h.change(t, `usr_${n}`, 'active', { last_name: `r${round}` }));
    }
    await again(() => h.drained(t, 20_000));
    const there = [...(await h.platformUsers(t)).values()];
    expect(there).toHaveLength(20);
    expect(there.filter((user) => user['last_name'] !== 'r2')).toEqual([]);
    await worker.stop();
  });
});

/** Until it goes through: connections that were ended are still in the pool, each for one more try. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 30) throw error;
    }
  }
}
