import fc from '../../support/properties.js';
import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { long, someOf } from '../../support/rounds.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.close());

/** Users who take a seat and give it back at once, written in one transaction: one sealing finds all of their lines. */
async function comeAndGo(at: House, firstEntry: number, users: number): Promise<void> {
  await service.db.transaction(at.tenantId, async (tx) => {
    await tx.query(`select setval('seat_entry_sequence', $1, false)`, [firstEntry]);
    await tx.query(
      `insert into seat_entries (tenant_id, kind, user_id, delta, reason, source)
       select $1, case d when 1 then 'claim' else 'release' end, 'usr_' || n, d, 'test', '{}'
       from generate_series(1, $2::int) n cross join (values (1), (-1)) s(d) order by n, d desc`,
      [at.tenantId, users],
    );
  });
}

interface Line {
  entry_id: string;
  user_id: string;
  delta: number;
  count_after: number;
  effective_at: string;
}

async function linesOf(at: House): Promise<Line[]> {
  const { text } = await at.api.get('/seats/events?format=ndjson');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

// The number of digits grows inside of a batch, at its first line, and at the border of two batches of 2,000 lines.
it.each(
  someOf([
    ['9 and 10', 4, 8],
    ['99 and 100', 93, 20],
    ['999 and 1000', 999, 4],
    ['9999 and 10000, with a border of batches', 8_000, 2_100],
  ]),
)('seals the lines of a user in the order of their writes across %s', async (_, firstEntry, users) => {
  const at = await newHouse(service);
  await comeAndGo(at, firstEntry, users);
  const lines = await linesOf(at);
  expect(lines.map((line) => Number(line.entry_id))).toEqual(Array.from(lines, (_line, i) => firstEntry + i));
  expect(lines.map((line) => line.count_after)).toEqual(Array.from(lines, (_line, i) => (i + 1) % 2));
  expect((await at.api.get('/seats/holders')).body.data).toEqual([]);
  expect((await at.api.post('/seats/verify', {})).body).toMatchObject({ ok: true, entries: 2 * users, count: 0 });
});

it('seals the lines of the audit log in the order of their writes across 9999 and 10000', async () => {
  const at = await newHouse(service);
  await at.api.post('/audit/verify', {});
  await service.db.transaction(at.tenantId, async (tx) => {
    await tx.query(`select setval('audit_sequence', 9996)`);
    await tx.query(
      `insert into audit_entries (tenant_id, actor, action, target_type, target_id)
       select $1, '{"kind":"system","id":null,"name":"test"}', 'test', 'test', n::text from generate_series(1, 6) n order by n`,
      [at.tenantId],
    );
  });
  const { data } = (await at.api.get('/audit?action=test')).body as { data: { target_id: string; sequence: number }[] };
  expect(data.map(({ target_id: id }) => id)).toEqual(['6', '5', '4', '3', '2', '1']);
  const sequences = data.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => b - a));
});

describe('random histories of users who are written at the same time', () => {
  const history = fc.array(fc.constantFrom('active', 'inactive', 'Admin', 'User', 'Observer'), {
    minLength: 1,
    maxLength: 8,
  });
  const histories = fc.array(history, { minLength: 12, maxLength: 20 });

  long.each(fc.sample(histories, 3).map((users, i) => [[93, 991, 9_950][i]!, users] as const))(
    'has the holders of a recount at every instant, with ids from %i on',
    async (firstEntry, users) => {
      const at = await newHouse(service);
      await service.db.query(`select setval('seat_entry_sequence', $1, false)`, [firstEntry]);
      const write = async (changes: string[], i: number): Promise<void> => {
        const person = { email: `u${i}@x.example`, first_name: 'U', last_name: String(i) };
        const { id } = (await at.api.post('/users', person)).body as { id: string };
        for (const change of changes) {
          const body = /active$/.test(change) ? { status: change } : { role: change };
          expect((await at.api.patch(`/users/${id}`, body)).status).toBe(200);
        }
      };
      await Promise.all(users.map(write));
      const lines = await linesOf(at);
      const instants = [...new Set(lines.map((line) => line.effective_at))];
      const recount = new Set<string>();
      for (const [i, instant] of instants.entries()) {
        for (const line of lines.filter((one) => one.effective_at === instant)) {
          if (line.delta > 0) recount.add(line.user_id);
          if (line.delta < 0) recount.delete(line.user_id);
        }
        const { body } = await at.api.get(`/seats/holders?limit=200&as_of=${instant}`);
        const found = (body.data as { user_id: string }[]).map((holder) => holder.user_id);
        expect([i, found]).toEqual([i, [...recount].sort()]);
        expect((await at.api.get(`/seats?as_of=${instant}`)).body.used).toBe(recount.size);
      }
      const active = (await at.api.get('/users?seat=held&limit=200')).body.data as { id: string }[];
      expect(active.map(({ id }) => id).sort()).toEqual([...recount].sort());
      expect((await at.api.post('/seats/verify', {})).body).toMatchObject({ ok: true, count: recount.size });
    },
  );
});
