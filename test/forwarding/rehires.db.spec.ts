import { UnitOfWork } from '../../src/base/database/unit-of-work.js';
import type { Person } from '../../src/identity/person.js';
import { Harness, personOf, SOURCE } from './harness.js';

/** One desk: a name and an address that are given to one person after the other. */
interface Desk {
  readonly names: Pick<Person, 'email' | 'external_id'>;
  generation: number;
  version: number;
  is: 'active' | 'inactive' | 'gone';
}

/**
 * People leave and others are hired under the same names, faster than the platform takes it, while workers are killed
 * and calls fail before or after their effect: whoever is there has the one account, and nobody takes another's.
 */
describe('desks that change hands', () => {
  let h: Harness;
  beforeAll(async () => {
    h = await Harness.start(40);
  });
  afterAll(() => h.stop());

  it.each([
    ['accounts are deleted', 'delete', true],
    ['accounts are deactivated', 'inactive', true],
    ['only addresses tell who is who', 'delete', false],
  ] as const)(
    '%s',
    async (title, onDelete, keyed) => {
      const t = await h.tenant(title.replaceAll(' ', '-'), { timeout_ms: 250, on_delete: onDelete, concurrency: 8 });
      const desks = Array.from({ length: 16 }, (_, i): Desk => {
        const names = { email: `desk${i}@e.com`, external_id: keyed ? `desk${i}` : null };
        return { names, generation: 0, version: 0, is: 'gone' };
      });
      // Some were there before our time.
      for (const { names } of desks.slice(0, 4)) {
        const body = { ...names, first_name: 'Before', last_name: 'v0' };
        expect((await h.platform(t, 'POST', '/v1/users', body)).status).toBe(201);
      }
      h.sandbox.setFaults({ mode: '500', rate: 0.15 }, `key-${t}`);
      const options = { leaseMarginMs: 100, queueMs: 100, backoff: { firstMs: 10, maxMs: 50 } };
      const workers = [1, 2, 3].map(() => h.worker(options));
      const writers = desks.map((desk) => async () => {
        for (let n = 0; n < 30; n++) {
          await turn(h, t, desk);
          // A pause of each length that matters: within a call, about as long as one, and longer than a lease.
          await new Promise((resolve) => setTimeout(resolve, Math.random() ** 3 * 500));
        }
      });
      let writing = true;
      const killing = (async () => {
        while (writing) {
          await new Promise((resolve) => setTimeout(resolve, 120));
          workers.shift()!.kill();
          workers.push(h.worker(options));
        }
      })();
      await Promise.all(writers.map((write) => write()));
      writing = false;
      await killing;
      await h.drained(t, 60_000);
      await Promise.all(workers.map(({ worker }) => worker.stop()));

      expect(await h.parked(t)).toEqual([]);
      expect(await h.counts(t)).toMatchObject({ parked: 0, pending: 0 });
      h.sandbox.setFaults({ mode: 'none' }, `key-${t}`);
      const { data } = (await h.platform(t, 'GET', '/v1/users?limit=200')).body as { data: Record<string, unknown>[] };
      for (const { names, is, version } of desks) {
        const there = data.filter(({ email, status }) => email === names.email && status === 'active');
        const expected = is === 'active' ? [expect.objectContaining({ ...names, last_name: `v${version}` })] : [];
        expect(there).toEqual(expected);
      }
      expect(desks.reduce((sum, { generation }) => sum + generation, 0)).toBeGreaterThan(50);
    },
    120_000,
  );
});

/** What happens next at a desk; together with the record of whoever sits there. */
async function turn(h: Harness, tenantId: string, desk: Desk): Promise<void> {
  const dice = Math.random();
  if (desk.is === 'gone') {
    desk.generation++;
    desk.is = 'active';
  } else if (dice < 0.45) desk.is = 'gone';
  else if (dice < 0.6) desk.is = desk.is === 'active' ? 'inactive' : 'active';
  desk.version++;
  const userId = `usr_${desk.names.email!.split('@')[0]}-${desk.generation}`;
  const person = { ...personOf(userId), ...desk.names, last_name: `v${desk.version}` };
  const status = desk.is === 'gone' ? 'deleted' : desk.is;
  const tx = new UnitOfWork().subject(
    (
      p,
    ) => `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, email, email_key, first_name,
        last_name, person_external_id, status, seat)
      select ${p.add(tenantId, 'text')}, ${p.add(userId, 'text')}, 'api', '{}', n.id, n.id, true, n.email, n.email,
        'F', 'L', ${p.add(person.external_id, 'text')}, ${p.add(desk.is === 'active' ? 'active' : 'inactive', 'text')}, 'none'
      from (select ${p.add(userId, 'text')} as id, ${p.add(person.email, 'text')} as email) n
      on conflict (tenant_id, id) do update set status = excluded.status
      returning id`,
  );
  h.forwarding.enqueue(
    tx,
    tenantId,
    {
      kind: desk.is === 'active' ? 'updated' : desk.is === 'inactive' ? 'deactivated' : 'deleted',
      person,
      status,
      changed: ['last_name'],
    },
    SOURCE,
    new Date(),
    true,
  );
  await tx.run(h.db);
}
