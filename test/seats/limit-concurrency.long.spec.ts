import { SeatsService } from '../../src/seats/seats.service.js';
import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, eventually, type Answer } from '../support/http.js';
import { rounds } from '../support/rounds.js';
import { fresh, scim, user } from '../support/scim.js';
import { patience } from '../support/speed.js';

/** How often the race is run; more with SEAT_ROUNDS. */
const ROUNDS = Number(process.env['SEAT_ROUNDS'] ?? rounds(6));

// Two processes, each with its own pool and its own memory of the limit, on one database.
let apps: TestApp[];
beforeAll(async () => {
  const first = await startApp();
  apps = [first, await startApp({}, first)];
});
afterAll(async () => {
  for (const app of [...apps].reverse()) await app.close();
});

async function limited(limit: number): Promise<TestTenant> {
  const tenant = await apps[0]!.newTenant();
  const answer = await client(`${apps[0]!.url}/api/v1`, tenant.apiKey).put('/seats/limit', { limit });
  expect(answer.status).toBe(200);
  return tenant;
}

/** Creates through both processes at once. `share` says which part of them comes through SCIM. */
async function create(tenant: TestTenant, count: number, viaScim: (i: number) => boolean): Promise<Answer[]> {
  const doors = apps.map(({ url }) => ({
    scim: scim(url, tenant.scimToken),
    api: client(`${url}/api/v1`, tenant.apiKey),
  }));
  return Promise.all(
    Array.from({ length: count }, (_, i) => {
      const name = `${fresh()}@x.example`;
      const door = doors[i % doors.length]!;
      if (viaScim(i)) return served(() => door.scim.post('/Users', user(name)));
      return served(() => door.api.post('/users', { email: name, first_name: 'A', last_name: `B${i}` }));
    }),
  );
}

/** Sends a request again while the tenant has used its share of the connections: on a busy machine a rush comes to that. */
async function served(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send();
    if (answer.body?.code !== 'tenant_busy') return answer;
  }
}

const tally = (answers: Answer[]) => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const key = `${status}${body?.code ? ` ${body.code}` : ''}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
};

/** What people, ledger, summary and verifier say; they must all say the same. */
async function held(tenant: TestTenant) {
  const api = client(`${apps[1]!.url}/api/v1`, tenant.apiKey);
  const { rows } = await apps[0]!.db.query<{ people: number; waiting: number; entries: number }>(
    `select count(*) filter (where seat = 'held')::int as people, count(*) filter (where seat = 'waiting')::int as waiting,
       (select sum(delta) from seat_entries where tenant_id = $1)::int as entries from users where tenant_id = $1`,
    [tenant.tenantId],
  );
  const summary = (await api.get('/seats')).body;
  const verdict = (await api.post('/seats/verify', {})).body;
  return { ...rows[0]!, used: summary.used, sealed: verdict.count, ok: verdict.ok };
}
const exactly = (seats: number, waiting: number) => ({
  people: seats,
  entries: seats,
  used: seats,
  sealed: seats,
  ok: true,
  waiting,
});

describe('the limit under concurrency, with two processes', () => {
  it(
    `gives exactly 100 seats to 200 creates at limit 100, ${ROUNDS} times`,
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const tenant = await limited(100);
        // In turn: all through the API, all through SCIM, and half of each.
        const viaScim = [() => false, () => true, (i: number) => i % 4 < 2][round % 3]!;
        const counts = tally(await create(tenant, 200, viaScim));
        const waiting = (await held(tenant)).waiting;
        expect({ round, counts, ...(await held(tenant)) }).toEqual({ round, counts, ...exactly(100, waiting) });
        expect(Object.keys(counts).filter((key) => key !== '201' && key !== '409 seat_limit_reached')).toEqual([]);
        expect([round, counts['201']! - waiting, (counts['409 seat_limit_reached'] ?? 0) + waiting]).toEqual([
          round,
          100,
          100,
        ]);
        if (round % 3 === 1) expect(counts).toEqual({ '201': 200 });
      }
    },
    30_000 + ROUNDS * 5_000,
  );

  it(
    'gives exactly 1 000 seats when 400 creates meet 900 seats and processes believe the limit to be far',
    async () => {
      const tenant = await limited(1000);
      await seed(tenant, 900);
      await apps[0]!.db.query(`update seat_limits set mode = 'open' where tenant_id = $1`, [tenant.tenantId]);
      const counts = tally(await create(tenant, 400, () => false));
      expect(counts).toEqual({ '201': 100, '409 seat_limit_reached': 300 });
      expect(await held(tenant)).toEqual(exactly(1000, 0));
    },
    patience(60_000),
  );

  it(
    'stays exact from far below the limit up to it in one rush',
    async () => {
      const { rows } = await apps[0]!.db.query<{ n: number }>(
        `select current_setting('max_connections')::int as n`,
        [],
      );
      const limit = 4 * rows[0]!.n + 200;
      const tenant = await limited(limit);
      await seed(tenant, 190);
      await client(`${apps[0]!.url}/api/v1`, tenant.apiKey).put('/seats/limit', { limit });
      const mode = await apps[0]!.db.query<{ mode: string }>(`select mode from seat_limits where tenant_id = $1`, [
        tenant.tenantId,
      ]);
      expect(mode.rows[0]!.mode).toBe('open');
      const counts = tally(await create(tenant, limit - 190 + 100, () => false));
      expect(counts).toEqual({ '201': limit - 190, '409 seat_limit_reached': 100 });
      expect(await held(tenant)).toEqual(exactly(limit, 0));
    },
    patience(120_000),
  );

  it(
    'gives seats that become free at the same moment to users who wait, and none to two',
    async () => {
      const tenant = await limited(20);
      const first = await create(tenant, 20, () => true);
      const waiting = await create(tenant, 40, () => true);
      expect(tally(waiting)).toEqual({ '201': 40 });
      const door = scim(apps[1]!.url, tenant.scimToken);
      const deleted = await Promise.all(first.map((each) => door.delete(`/Users/${each.body.id}`)));
      expect(tally(deleted)).toEqual({ '204': 20 });
      for (let i = 0; ; i++) {
        const now = await held(tenant);
        expect(now.people).toBeLessThanOrEqual(20);
        if (now.people === 20 && now.waiting === 20) break;
        expect(i).toBeLessThan(500);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(await held(tenant)).toEqual(exactly(20, 20));
    },
    patience(60_000),
  );
});

/** People with seats, and their lines in the ledger, as creates would have left them. */
async function seed(tenant: TestTenant, count: number): Promise<void> {
  const { db } = apps[0]!;
  const mark = fresh();
  await db.query(
    `with people as (insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, email, email_key,
         first_name, last_name, role, status, seat, ever_active)
       select $1, 'usr_' || $2::text || i, 'api', jsonb_build_object('userName', $2::text || i || '@s.example'), $2::text || i || '@s.example',
         $2::text || i || '@s.example', true, $2::text || i || '@s.example', $2::text || i || '@s.example', 'S', '', 'User', 'active', 'held', true
       from generate_series(1, $3::int) i returning id)
     insert into seat_entries (tenant_id, kind, user_id, delta, role, reason, source)
     select $1, 'claim', id, 1, 'User', 'seed', '{}' from people`,
    [tenant.tenantId, mark, count],
  );
}

it('waits for running creates when a limit is set, so that no seat is taken above it afterwards', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const tenant = await apps[0]!.newTenant();
    const api = client(`${apps[round % 2]!.url}/api/v1`, tenant.apiKey);
    const creates = create(tenant, 120, () => true);
    // Some have been answered, the others are on their way.
    await eventually(
      async () => (await api.get('/seats')).body.used as number,
      (used) => used > 5,
    );
    const set = await api.put('/seats/limit', { limit: 10 });
    expect(set.status).toBe(200);
    const taken = (await api.get('/seats')).body.used as number;
    await creates;
    expect((await held(tenant)).people).toBe(Math.max(10, taken));
  }
});

it('keeps a limit that is set between the plan of a create and its statement', async () => {
  const tenant = await apps[0]!.newTenant();
  const api = client(`${apps[1]!.url}/api/v1`, tenant.apiKey);
  const seats = apps[0]!.app.nest.get(SeatsService);
  const limitOf = seats.limitOf.bind(seats);
  let looks = 0;
  // The create knows of no limit when it looks; by the time it continues there is one, and this process knows it.
  seats.limitOf = async (tenantId) => {
    const known = await limitOf(tenantId);
    if (tenantId === tenant.tenantId && looks++ === 0)
      expect((await api.put('/seats/limit', { limit: 0 })).status).toBe(200);
    return known;
  };
  try {
    expect((await scim(apps[0]!.url, tenant.scimToken).post('/Users', user(fresh()))).status).toBe(201);
  } finally {
    seats.limitOf = limitOf;
  }
  expect(looks).toBeGreaterThan(0);
  expect(await held(tenant)).toMatchObject({ people: 0, waiting: 1 });
});
