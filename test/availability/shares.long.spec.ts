import { Database } from '../../src/base/database/database.js';
import { fresh, group, patch, scim, user } from '../support/scim.js';
import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import type { Answer, Client } from '../support/http.js';
import { patience } from '../support/speed.js';

// One tenant does all it can; another one is served beside it. Delays are ratios to what they are alone, with room.

let service: TestApp;
let loud: TestTenant;
let quiet: Client;
beforeAll(async () => {
  service = await startApp({ DATABASE_POOL: '8' });
  loud = service.tenant;
  const tenant = await service.newTenant();
  quiet = scim(service.url, tenant.scimToken);
});
afterAll(() => service.close());

const median = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** What the quiet tenant's requests come to: a create, a read and an indexed search, each a given number of times. */
async function quietRound(times: number): Promise<{ statuses: Set<number>; median: number }> {
  const statuses = new Set<number>();
  const delays: number[] = [];
  const timed = async (ask: () => Promise<Answer>): Promise<Answer> => {
    const began = performance.now();
    const answer = await ask();
    delays.push(performance.now() - began);
    statuses.add(answer.status);
    return answer;
  };
  for (let i = 0; i < times; i++) {
    const name = fresh('quiet');
    const { body } = await timed(() => quiet.post('/Users', user(name)));
    await timed(() => quiet.get(`/Users/${body.id}`));
    await timed(() => quiet.get(`/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`));
  }
  return { statuses, median: median(delays) };
}

const served = (statuses: Set<number>): number[] => [...statuses].filter((status) => status >= 300);

it(
  'serves a tenant while another one runs 128 searches at once',
  async () => {
    await service.db.execute(
      `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, active, first_name, last_name,
       status, seat)
     select '${loud.tenantId}', 'usr_bulk' || n, '${loud.directoryId}', 'scim',
       jsonb_build_object('userName', 'bulk' || n, 'title', repeat('t', 100), 'nickName', 'n' || n),
       'bulk' || n, 'bulk' || n, true, '', '', 'inactive', 'none'
     from generate_series(1, 20000) n`,
    );
    const alone = await quietRound(10);
    expect(served(alone.statuses)).toEqual([]);
    const terms = Array.from({ length: 20 }, (_, i) => `title co "x${i}" or nickName co "y${i}"`).join(' or ');
    const expensive = `/Users?filter=${encodeURIComponent(terms)}`;
    const api = scim(service.url, loud.scimToken);
    let running = true;
    const answers: Answer[] = [];
    const flood = Array.from({ length: 128 }, async () => {
      while (running) answers.push(await api.get(expensive));
    });
    const beside = await quietRound(10);
    // What the loud tenant does beside its searches continues as well.
    const own = await api.post('/Users', user(fresh('own')));
    running = false;
    await Promise.all(flood);
    expect(served(beside.statuses)).toEqual([]);
    expect(own.status).toBe(201);
    expect(beside.median).toBeLessThan(alone.median * 20 + patience(200));
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.scimType]).toEqual(status === 400 ? [400, 'tooMany'] : [503, undefined]);
    }
  },
  patience(120_000),
);

it(
  'serves a tenant while all connections that another one may have wait for a lock',
  async () => {
    const api = scim(service.url, loud.scimToken);
    const { body } = await api.post('/Groups', group(fresh('group')));
    const rename = () =>
      api.patch(`/Groups/${body.id}`, patch({ op: 'replace', path: 'displayName', value: fresh('name') }));
    let writes!: Promise<Answer[]>;
    const beside = await service.db.transaction(null, async (tx) => {
      await tx.query(`select 1 from groups where tenant_id = $1 and id = $2 for update`, [loud.tenantId, body.id]);
      writes = Promise.all(Array.from({ length: 64 }, rename));
      while (service.app.nest.get(Database).counts().waiting < 20)
        await new Promise((resolve) => setImmediate(resolve));
      return quietRound(5);
    });
    expect(served(beside.statuses)).toEqual([]);
    expect(new Set((await writes).map(({ status }) => status))).toEqual(new Set([204]));
  },
  patience(60_000),
);

it(
  'does 500 creates of one tenant at once, and serves another one meanwhile',
  async () => {
    const api = scim(service.url, loud.scimToken);
    const creates = Promise.all(Array.from({ length: 500 }, () => api.post('/Users', user(fresh('many')))));
    const beside = await quietRound(3);
    expect(served(beside.statuses)).toEqual([]);
    expect(new Set((await creates).map(({ status }) => status))).toEqual(new Set([201]));
  },
  patience(60_000),
);

it(
  'ends a search after its time, with what to ask instead',
  async () => {
    const api = scim(service.url, loud.scimToken);
    await api.get('/Users?count=1');
    const answer = await service.db.transaction(null, async (tx) => {
      await tx.query('lock table users in access exclusive mode');
      return api.get(`/Users?filter=${encodeURIComponent('title co "a"')}`);
    });
    expect([answer.status, answer.body.scimType]).toEqual([400, 'tooMany']);
    expect(answer.body.detail).toMatch(/3 seconds.*userName, externalId or emails.value with eq/);
    const { rows } = await service.db.query(
      `select 1 from pg_stat_activity where datname = current_database() and state = 'active' and query like '%title%' and pid <> pg_backend_pid()`,
    );
    expect(rows).toEqual([]);
  },
  patience(30_000),
);
