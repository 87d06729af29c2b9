import { startApp, type TestApp, type TestTenant } from '../../support/app.js';
import { client, eventually, type Answer, type Client } from '../../support/http.js';
import { failure, group, madeUser, patch, scim, user } from '../../support/scim.js';
import { encodeCursor } from '../../../src/base/http/page.js';
import { long, someOf } from '../../support/rounds.js';
import { patience } from '../../support/speed.js';

const USERS = 600;

let service: TestApp;
let tenant: TestTenant;
let by: Client;
let ids: string[];
beforeAll(async () => {
  service = await startApp();
});
beforeEach(async () => {
  tenant = await service.newTenant();
  by = scim(service.url, tenant.scimToken);
  // Names that repeat, and users without: places must differ by more than their key.
  await service.db.query(
    `insert into users (tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active, first_name,
       last_name, role, status, seat, created_at)
     select $1, 'usr_000' || lpad(i::text, 6, '0'), $2, 'scim', jsonb_build_object('userName', 'w' || i)
         || case when i % 3 = 0 then '{}' else jsonb_build_object('displayName', 'N' || i % 50, 'externalId', 'E' || i % 40) end
         || case when i % 4 = 0 then '{}' else jsonb_build_object('title', 'T' || i % 20) end,
       'w' || i, 'w' || i, case when i % 3 = 0 then null else 'E' || i % 40 end, true, 'W', '', 'Observer', 'active', 'none',
       now() - make_interval(secs => i % 100)
     from generate_series(1, $3::int) i`,
    [tenant.tenantId, tenant.directoryId, USERS],
  );
  await service.db.query(`insert into population_steps (tenant_id, owner, step) values ($1, $2, $3)`, [
    tenant.tenantId,
    tenant.directoryId,
    USERS,
  ]);
  ids = Array.from({ length: USERS }, (_, i) => `usr_000${String(i + 1).padStart(6, '0')}`);
});
afterAll(() => service.close());

type Parameters = Record<string, string>;
const page = (parameters: Parameters): Promise<Answer> =>
  by.get(`/Users?${new URLSearchParams(parameters).toString()}`);

/** Walks a whole list; fails on a page whose figures do not add up. `between` runs after each page. */
async function walk(parameters: Parameters, between: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let cursor = parameters['cursor'];
  for (;;) {
    const more: Parameters = cursor === undefined ? { startIndex: String(seen.length + 1) } : { cursor };
    const { status, body } = await page({ count: '50', ...parameters, ...more });
    expect(status).toBe(200);
    expect(body.itemsPerPage).toBe(body.Resources.length);
    seen.push(...body.Resources.map(({ id }: { id: string }) => id));
    expect(body.totalResults).toBeGreaterThanOrEqual(seen.length);
    cursor = body.nextCursor;
    if (parameters['cursor'] === undefined ? body.totalResults <= seen.length : cursor === undefined) return seen;
    await between();
  }
}

const WALKS: [string, Parameters][] = [
  ['by index', {}],
  ['by index, filtered', { filter: 'active eq true' }],
  ['by index, sorted by userName', { sortBy: 'userName' }],
  ['by cursor', { cursor: '' }],
  ['by cursor, filtered', { cursor: '', filter: 'active eq true' }],
  ...['userName', 'displayName', 'externalId', 'meta.created', 'id', 'title', 'active', 'emails'].flatMap((sortBy) =>
    ['ascending', 'descending'].map((sortOrder): [string, Parameters] => [
      `by cursor, sorted by ${sortBy}, ${sortOrder}`,
      { cursor: '', sortBy, sortOrder },
    ]),
  ),
];

it.each(someOf(WALKS))('a walk %s returns each user who stays once while users come and go', async (_, parameters) => {
  const leaving = ids.filter((_, i) => i % 9 === 4);
  const staying = new Set(ids.filter((_, i) => i % 9 !== 4));
  const changing = [...staying].filter((_, i) => i % 7 === 0);
  let round = 0;
  const seen = await walk(parameters, async () => {
    round++;
    for (let i = 0; i < 4; i++) {
      const gone = i % 2 ? leaving.shift() : leaving.pop();
      if (gone !== undefined) expect((await by.delete(`/Users/${gone}`)).status).toBe(204);
    }
    await madeUser(by, user(`new${round}`, { displayName: `N${round}`, title: 'T7' }));
    await by.patch(`/Users/${changing[round]}`, patch({ op: 'add', path: 'nickName', value: `${round}` }));
  });
  expect(seen.filter((id, i) => seen.indexOf(id) !== i)).toEqual([]);
  const met = new Set(seen);
  expect([...staying].filter((id) => !met.has(id))).toEqual([]);
});

it.each(someOf(['userName', 'displayName', 'externalId', 'meta.created', 'title', 'active']))(
  'pages sorted by %s are parts of the whole list, in both orders',
  async (sortBy) => {
    for (const sortOrder of ['ascending', 'descending']) {
      const whole = (await page({ sortBy, sortOrder, count: '1000' })).body.Resources.map(
        ({ id }: { id: string }) => id,
      );
      expect(whole).toHaveLength(USERS);
      expect(await walk({ sortBy, sortOrder, cursor: '' }, async () => undefined)).toEqual(whole);
      expect(await walk({ sortBy, sortOrder }, async () => undefined)).toEqual(whole);
    }
  },
);

long.each(['', undefined])('a group larger than a page ends no list (cursor %j)', async (start) => {
  for (const name of ['A', 'B', 'C']) expect((await by.post('/Groups', group(name))).status).toBe(201);
  const all = (await by.get('/Groups')).body.Resources.map(({ id }: { id: string }) => id);
  await service.db.query(
    `insert into group_members (tenant_id, group_id, member_id, kind)
     select $1, $2, 'usr_member' || i, 'User' from generate_series(1, 14000) i`,
    [tenant.tenantId, all[0]],
  );
  const seen: string[] = [];
  for (let cursor = start; ;) {
    const more = cursor === undefined ? `startIndex=${seen.length + 1}` : `cursor=${cursor}`;
    const { body } = await by.get(`/Groups?attributes=members&${more}`);
    expect(body.totalResults).toBe(3);
    seen.push(...body.Resources.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    if (start === undefined ? seen.length >= body.totalResults : cursor === undefined) break;
  }
  expect(seen).toEqual(all);
});

it('a filtered walk by cursor counts its matches once', async () => {
  const parameters = { cursor: '', filter: 'active eq true', count: '50' };
  const first = (await page(parameters)).body;
  expect(first.totalResults).toBe(USERS);
  await service.db.query(`update users set active = false where tenant_id = $1 and id > $2`, [
    tenant.tenantId,
    ids[199],
  ]);
  const second = (await page({ ...parameters, cursor: first.nextCursor })).body;
  expect(second.totalResults).toBe(USERS);
  // Another walk counts anew.
  expect((await page(parameters)).body.totalResults).toBe(200);
});

it('a cursor of an older version that skipped rows is expired', async () => {
  const first = (await page({ cursor: '', sortBy: 'userName', count: '50' })).body;
  const [body] = first.nextCursor.split('.');
  const known = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
  const old = encodeCursor({ ...known, a: 50 });
  const answer = await page({ cursor: old, sortBy: 'userName', count: '50' });
  expect(failure(answer)).toEqual([400, 'expiredCursor', '400']);
});

long(
  'each of the five common orders, and updated_since, is read along its index',
  async () => {
    const scans = async () => {
      const { rows } = await service.db.execute<{ name: string; n: number }>(
        `select indexrelname as name, idx_scan::int as n from pg_stat_user_indexes where relname = 'users'`,
      );
      return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
    };
    await service.db.execute('analyze users');
    const indexes: Record<string, string> = {
      userName: 'users_user_name',
      displayName: 'users_display_name',
      externalId: 'users_external_id_order',
      'meta.created': 'users_created',
      'meta.lastModified': 'users_modified',
    };
    const api = client(`${service.url}/api/v1`, tenant.apiKey);
    // The figures of a connection are written when it has been idle for a while: until then each page is asked for again.
    for (const [sortBy, index] of Object.entries(indexes)) {
      const before = (await scans())[index]!;
      await eventually(
        async () => {
          for (const sortOrder of ['ascending', 'descending']) {
            const first = await page({ sortBy, sortOrder, count: '20', cursor: '' });
            await page({ sortBy, sortOrder, count: '20', cursor: first.body.nextCursor });
          }
          return (await scans())[index]!;
        },
        (now) => now >= before + 4,
      );
    }
    const before = (await scans())['users_updated']!;
    await eventually(
      async () => {
        await api.get(`/users?updated_since=${new Date(Date.now() + 60_000).toISOString()}`);
        return (await scans())['users_updated']!;
      },
      (now) => now > before,
    );
  },
  patience(60_000),
);
