import { Harness, until, type Any } from './harness.js';

/**
 * Twelve writers, four workers that are killed again and again, and a platform that fails each tenth call before or
 * after it took effect.
 */
describe('under crashes and faults', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start(40);
  });
  afterAll(() => h.stop());

  it.each(['500', 'refuse', 'hang', 'maintenance'] as const)(
    'delivers every change in order and with one effect (%s)',
    async (mode) => {
      const t = await h.tenant(`chaos-${mode}`, { timeout_ms: 250 });
      h.sandbox.setFaults({ mode, rate: 0.1 }, `key-${t}`);
      const options = { leaseMarginMs: 300, queueMs: 100, backoff: { firstMs: 20, maxMs: 100 } };
      const workers = [1, 2, 3, 4].map(() => h.worker(options));
      let writing = true;
      const killing = (async () => {
        while (writing) {
          await new Promise((resolve) => setTimeout(resolve, 150));
          workers.shift()!.kill();
          workers.push(h.worker(options));
        }
      })();
      const users = 36;
      const last = new Map<string, string>();
      await Promise.all(
        Array.from({ length: 12 }, async (_, writer) => {
          for (let n = 1; n <= 60; n++) {
            const user = `usr_${writer * 3 + (n % 3)}`;
            const gone = n > 57 && writer % 4 === 0;
            await h.change(t, user, gone ? 'deleted' : n % 8 === 5 ? 'inactive' : 'active', { last_name: `v${n}` });
            last.set(user, gone ? 'deleted' : `v${n}`);
            if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
          }
        }),
      );
      writing = false;
      await killing;
      await h.drained(t, 50_000);
      await Promise.all(workers.map(({ worker }) => worker.stop()));

      expect((await h.counts(t)).parked).toBe(0);
      const there = await h.platformUsers(t);
      expect(last.size).toBe(users);
      for (const [user, state] of last) {
        if (state === 'deleted') expect(there.has(`x-${user}`)).toBe(false);
        else expect(there.get(`x-${user}`)).toMatchObject({ last_name: state, status: 'active' });
      }
      const calls = await h.calls(t);
      // Once: no key had two effects, and every repetition of a key was the same to the byte.
      const byKey = new Map<string, Record<string, Any>[]>();
      for (const call of calls.filter((c) => c['idempotency_key'])) {
        byKey.set(call['idempotency_key'], [...(byKey.get(call['idempotency_key']) ?? []), call]);
      }
      for (const same of byKey.values()) {
        expect(same.filter((c) => c['applied']).length).toBeLessThanOrEqual(1);
        expect(new Set(same.map((c) => c['body_hash'])).size).toBe(1);
      }
      // In order: the versions that took effect on one account never go back.
      const versions = new Map<string, number>();
      for (const call of calls.filter((c) => c['applied'] && c['external_id'])) {
        const version = Number(
          /"last_name":"v(\d+)"/.exec(call['body'])?.[1] ?? versions.get(call['external_id']) ?? 0,
        );
        expect(version).toBeGreaterThanOrEqual(versions.get(call['external_id']) ?? 0);
        versions.set(call['external_id'], version);
      }
      expect(calls.some((c) => c['fault']?.startsWith('after'))).toBe(true);
      expect([...byKey.values()].some((same) => same.length > 1)).toBe(true);
      await until(() => h.sandbox.inFlight === 0);
    },
  );
});
