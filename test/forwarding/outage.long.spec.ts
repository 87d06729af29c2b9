import type { Faults } from '../../src/sandbox/sandbox-journal.js';
import { platformOf } from '../../src/forwarding/connections.js';
import { Harness, personOf, until } from './harness.js';

const LEAVERS = 20;

describe('an outage in the middle of a first sync', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start(30);
  });
  afterAll(() => h.stop());

  /** Many changes in one statement: what is tested here is not the enqueue. */
  async function enqueue(t: string, from: number, to: number): Promise<void> {
    await h.db.query(
      `with c as (
         insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
         select $1, 'usr_' || n, 'created', true, '{}', '{}', '{}', now() from generate_series($2::int, $3::int) n
         returning user_id, sequence)
       insert into lanes (tenant_id, subject, state, target_state, target_body, rank, first_pending, last_pending, pending_since)
       select $1, c.user_id, 'due', 'active', replace($4, 'usr_N', c.user_id), 1, c.sequence, c.sequence, now() from c`,
      [t, from, to, JSON.stringify(personOf('usr_N'))],
    );
  }

  const OUTAGES: [string, Partial<Faults>, number][] = [
    ['500', { mode: '500' }, 2000],
    ['hang', { mode: 'hang' }, 600],
    ['refuse', { mode: 'refuse' }, 600],
    ['a maintenance page with 503', { mode: 'maintenance', status: 503 }, 600],
    ['a maintenance page with 200', { mode: 'maintenance', status: 200 }, 2000],
    ['404 on every path', { mode: 'not_found' }, 600],
    ['429 with Retry-After', { mode: '429', retry_after: 0 }, 600],
  ];

  it.each(OUTAGES)(
    '%s: loses and parks nothing, sends leavers first, and sends no burst',
    async (name, faults, people) => {
      const t = await h.tenant(`out-${OUTAGES.findIndex(([n]) => n === name)}`, { timeout_ms: 300 });
      const workers = [h.worker(), h.worker()];
      await enqueue(t, 1, LEAVERS + 200);
      await h.drained(t);
      h.sandbox.setFaults({ ...faults, rate: 1 }, `key-${t}`);
      const before = (await h.calls(t)).length;
      await enqueue(t, LEAVERS + 201, people - LEAVERS);
      await until(async () => (await h.destinations.read(platformOf(t)))?.state === 'open');
      // The people who leave are deactivated and deleted while the platform is away.
      for (let n = 1; n <= LEAVERS; n++) await h.change(t, `usr_${n}`, n % 2 ? 'inactive' : 'deleted');
      await enqueue(t, people - LEAVERS + 1, people);
      await until(
        async () =>
          Number((await h.db.query(`select probes from destinations where tenant_id = $1`, [t])).rows[0]!['probes']) >=
          3,
      );

      const during = (await h.calls(t)).slice(before);
      // All that were out when it began, and since then one at a time.
      expect(during.length).toBeLessThan(80);
      expect(during.filter((c) => c['applied'] && !c['fault'])).toEqual([]);
      const lanes = await h.db.query(
        `select max(own_failure_count) as attempts, count(*) filter (where state = 'parked')::int as parked from lanes where tenant_id = $1`,
        [t],
      );
      expect(lanes.rows[0]!['parked']).toBe(0);
      expect(lanes.rows[0]!['attempts']).toBeLessThanOrEqual(1);

      const back = during.length + before;
      h.sandbox.peak = 0;
      h.sandbox.setFaults({ mode: 'none' }, `key-${t}`);
      await h.drained(t);
      const after = (await h.calls(t)).slice(back);
      await Promise.all(workers.map(({ worker }) => worker.stop()));
      expect((await h.counts(t)).parked).toBe(0);
      const there = await h.platformUsers(t);
      expect(there.size).toBe(people - LEAVERS / 2);
      for (let n = 1; n <= LEAVERS; n++) {
        if (n % 2) expect(there.get(`x-usr_${n}`)).toMatchObject({ status: 'inactive' });
        else expect(there.has(`x-usr_${n}`)).toBe(false);
      }
      // Leavers first: the last of them is through before the fiftieth call (two workers, and what had to be repeated).
      const writes = after.filter((c) => c['applied']);
      const lastLeaver = writes.findLastIndex((c) => c['method'] === 'DELETE' || c['body'] === '{"status":"inactive"}');
      expect(lastLeaver).toBeLessThan(LEAVERS + 40);
      expect(h.sandbox.peak).toBeLessThanOrEqual(32);
    },
  );

  it('begins again with one call, and doubles the calls after it', async () => {
    const t = await h.tenant('ramp', { timeout_ms: 2_000, concurrency: 16 });
    h.sandbox.setFaults({ mode: '500' }, `key-${t}`);
    const { worker } = h.worker();
    await enqueue(t, 1, 300);
    await until(async () => (await h.destinations.read(platformOf(t)))?.state === 'open');
    await until(() => h.sandbox.inFlight === 0);
    const before = (await h.calls(t)).length;
    h.sandbox.peak = 0;
    // Slow, so that what is allowed at the same time is also there at the same time.
    h.sandbox.setFaults({ mode: 'slow', delay_ms: 60 }, `key-${t}`);
    const peaks: number[] = [];
    await until(async () => {
      peaks.push(h.sandbox.peak);
      return h.sandbox.peak >= 16;
    });
    await h.drained(t);
    await worker.stop();
    const calls = (await h.calls(t)).slice(before).map((c) => c['at'] as Date);
    // The calls answered within one round of 60 ms after the return: 1, then 2, then 4 …
    const first = calls.find((_, i) => i > 0)!.getTime();
    const within = (ms: number): number => calls.filter((at) => at.getTime() < first + ms).length;
    expect(within(50)).toBeLessThanOrEqual(4);
    expect(peaks.some((peak) => peak > 1 && peak < 16)).toBe(true);
    expect(Math.max(...peaks)).toBeLessThanOrEqual(16);
  });
});
