import { Harness, until } from '../../../forwarding/harness.js';
import { someOf } from '../../../support/rounds.js';
import { CHANNELS } from './index.js';
import type { Effect } from './kit.js';

// What the engine promises, it promises for each channel.
describe.each(CHANNELS)('the channel %s', (name, kit) => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start(30);
  });
  afterAll(async () => {
    await h.stop();
    await kit.stop();
  });

  const drained = (t: string): Promise<void> =>
    until(async () => {
      const { channel, id } = kit.keyOf(t);
      const { rows } = await h.db.query<{ n: number }>(
        `select count(*)::int as n from lanes
         where tenant_id = $1 and channel = $2 and destination = $3 and first_pending is not null`,
        [t, channel, id],
      );
      return rows[0]!.n === 0;
    }, 40_000);
  const stateOf = async (t: string): Promise<string | undefined> => (await h.destinations.read(kit.keyOf(t)))?.state;
  const last = (effects: readonly Effect[]): Map<string, number> =>
    new Map(effects.map(({ subject, n }) => [subject, n]));

  it.each(someOf(['500', 'hang'] as const))(
    'outage (%s): loses nothing, sends no burst, and delivers all',
    async (mode) => {
      const t = await kit.tenant(h, `out-${name}-${mode}`, { timeout_ms: 300 });
      const { worker } = h.worker();
      for (let n = 1; n <= 30; n++) await kit.enqueue(h, t, `usr_${n}`, 1);
      await drained(t);
      kit.fault(h, t, mode);
      const before = await kit.requests(h, t);
      for (let n = 1; n <= 150; n++) await kit.enqueue(h, t, `usr_${n}`, 2);
      await until(async () => (await stateOf(t)) === 'open');
      const { tenantId, channel, id } = kit.keyOf(t);
      const probes = async (): Promise<number> => {
        const { rows } = await h.db.query<{ probes: number }>(
          `select probes from destinations where tenant_id = $1 and channel = $2 and id = $3`,
          [tenantId, channel, id],
        );
        return rows[0]!.probes;
      };
      await until(async () => (await probes()) >= 3);
      expect((await kit.requests(h, t)) - before).toBeLessThan(60);
      kit.fault(h, t, 'none');
      await drained(t);
      await worker.stop();
      expect(await stateOf(t)).toBe('ok');
      const effects = last(await kit.effects(h, t));
      for (let n = 1; n <= 150; n++) expect(effects.get(`usr_${n}`)).toBe(2);
    },
  );

  it('order: delivers the newest change when newer ones replace waiting ones, else each message', async () => {
    const t = await kit.tenant(h, `order-${name}`, { timeout_ms: 300 });
    const { worker } = h.worker();
    kit.fault(h, t, '500', 0.1);
    for (let n = 1; n <= 40; n++) for (const user of ['usr_1', 'usr_2', 'usr_3']) await kit.enqueue(h, t, user, n);
    await drained(t);
    await worker.stop();
    const effects = await kit.effects(h, t);
    for (const user of ['usr_1', 'usr_2', 'usr_3']) {
      const versions = effects.filter(({ subject }) => subject === user).map(({ n }) => n);
      if (kit.channel(h, h.db).folds) {
        expect(versions).toEqual([...versions].sort((a, b) => a - b));
        expect(versions.at(-1)).toBe(40);
      } else expect([...versions].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    }
  });

  it('fairness: delays only the lanes of a destination that hangs', async () => {
    const slow = await kit.tenant(h, `slow-${name}`, { timeout_ms: 2_000 });
    const quick = await kit.tenant(h, `quick-${name}`);
    kit.fault(h, slow, 'hang');
    const { worker } = h.worker();
    for (let n = 1; n <= 100; n++) await kit.enqueue(h, slow, `usr_${n}`, 1);
    await until(async () => (await kit.requests(h, slow)) > 0);
    const began = performance.now();
    for (let n = 1; n <= 50; n++) await kit.enqueue(h, quick, `usr_${n}`, 1);
    await drained(quick);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await kit.effects(h, quick)).toHaveLength(50);
    kit.fault(h, slow, 'none');
    await drained(slow);
    await worker.stop();
  });

  it('crash: delivers the messages of killed workers, each with one effect', async () => {
    const t = await kit.tenant(h, `crash-${name}`, { timeout_ms: 250 });
    const options = { leaseMarginMs: 300, queueMs: 100, backoff: { firstMs: 20, maxMs: 100 } };
    kit.fault(h, t, '500', 0.1);
    const workers = [1, 2].map(() => h.worker(options));
    for (let n = 1; n <= 20; n++) {
      for (let user = 1; user <= 10; user++) await kit.enqueue(h, t, `usr_${user}`, n);
      workers.shift()!.kill();
      workers.push(h.worker(options));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await drained(t);
    await Promise.all(workers.map(({ worker }) => worker.stop()));
    const effects = await kit.effects(h, t);
    const seen = new Set(effects.map(({ subject, n }) => `${subject} ${n}`));
    expect(seen.size).toBe(effects.length);
    for (let user = 1; user <= 10; user++) expect(seen.has(`usr_${user} 20`)).toBe(true);
    if (!kit.channel(h, h.db).folds) expect(effects).toHaveLength(200);
  });

  it('leaves no lane when each message is a subject of its own', async () => {
    const t = await kit.tenant(h, `left-${name}`);
    const { worker } = h.worker();
    for (let n = 1; n <= 5; n++) await kit.enqueue(h, t, 'usr_1', n);
    await drained(t);
    await worker.stop();
    const { rowCount } = await h.db.query(`select 1 from lanes where tenant_id = $1`, [t]);
    expect(rowCount).toBe(kit.channel(h, h.db).folds ? 1 : 0);
  });
});
