import { ENTRY_KINDS } from '../../../src/overview/history/entry.mapping.js';
import { timelineSql } from '../../../src/overview/history/timeline.sql.js';
import { SandboxPlatform } from '../../../src/sandbox/sandbox-platform.js';
import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { OidcWay } from '../../support/sign-in/connections.js';
import { startApp, type TestApp } from '../../support/app.js';
import { client, eventually } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, replace, user } from '../../support/scim.js';

interface Entry extends Record<string, unknown> {
  id: string;
  at: string;
  kind: string;
}

let service: TestApp;
let sandbox: SandboxPlatform;
let op: HostileOp;
let house: House;
beforeAll(async () => {
  service = await startApp();
  sandbox = new SandboxPlatform({ databaseUrl: service.databaseUrl, port: 0 });
  await sandbox.start();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
});
afterAll(async () => {
  await op.stop();
  await sandbox.stop();
  await service.close();
});

const pathOf = (id: string, query = ''): string => `/users/${id}/history${query}`;
/** All entries; once the ledger's lines have their place in the chain, which comes right after. */
/** Waits until the log has this many requests of a user: it is written beside the requests. */
const logged = (id: string, count: number) =>
  eventually(
    () => entriesOf(id, '&kind=request'),
    (entries) => entries.length === count,
  );

const entriesOf = async (id: string, query = ''): Promise<Entry[]> => {
  const { body } = await eventually(
    () => house.api.get(pathOf(id, `?limit=200${query}`)),
    (answer) => answer.body.data.every(({ kind, sequence }: Entry) => kind !== 'seat' || sequence !== null),
  );
  return body.data;
};
const settled = (id: string) =>
  eventually(
    () => house.api.get(`/changes?user_id=${id}`),
    ({ body }) => body.data.every(({ state }: { state: string }) => state === 'delivered' || state === 'recorded'),
  );

/** Pages through a history; `meanwhile` happens after each page. */
async function paged(id: string, query: string, meanwhile: () => Promise<unknown>): Promise<Entry[]> {
  const all: Entry[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await house.api.get(pathOf(id, `?${query}&cursor=${cursor}`));
    all.push(...body.data);
    cursor = body.next_cursor;
    await meanwhile();
  }
  return all;
}

/** A user with a whole life: made, known to the platform, renamed, signed in twice, put out, refused, deleted. */
async function wholeLife(): Promise<{ id: string; secrets: string[] }> {
  const api_key = `key-${house.tenantId}`;
  await house.api.put('/platform', { base_url: sandbox.url, api_key });
  const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
  const sub = fresh('sub');
  const email = `${fresh()}@example.com`;
  const id = await madeUser(
    house.scim,
    user(email, { externalId: sub, name: { givenName: 'Ada', familyName: 'King' } }),
  );
  await settled(id);
  await house.scim.patch(`/Users/${id}`, replace('name.familyName', 'Byron'));
  await settled(id);
  const tabs = [door.tab(), door.tab()];
  for (const tab of tabs) expect((await door.signIn(tab, { sub })).status).toBe(303);
  const secrets = tabs.map((tab) => tab.jar.get('__Host-session')!.split('_')[2]!);
  const { body: sessions } = await house.api.get(`/users/${id}/sessions`);
  expect((await house.api.delete(`/users/${id}/sessions/${sessions.data[1].id}`)).status).toBe(204);
  await house.scim.patch(`/Users/${id}`, replace('active', false));
  expect((await door.signIn(door.tab(), { sub })).status).toBe(403);
  expect((await house.scim.delete(`/Users/${id}`)).status).toBe(204);
  await settled(id);
  await logged(id, 4);
  return { id, secrets: [...secrets, api_key, house.apiKey, house.scimToken, 'secret-1'] };
}

describe('a history', () => {
  long('returns all entries of a deleted user in order, without secrets', async () => {
    const { id, secrets } = await wholeLife();
    const life = await entriesOf(id, '&order=asc');
    // Of a user that was neither linked nor held: test/directory-sync/users/adoption.api.spec.ts has those.
    const usual = ENTRY_KINDS.filter((kind) => kind !== 'linked' && kind !== 'held');
    expect(new Set(life.map(({ kind }) => kind))).toEqual(new Set(usual));
    expect(life.map(({ at }) => at)).toEqual(life.map(({ at }) => at).sort());
    expect(await entriesOf(id)).toEqual([...life].reverse());
    const of = (kind: string) => life.filter((entry) => entry.kind === kind);
    expect(of('change').map(({ event }) => event)).toEqual(['created', 'updated', 'deactivated', 'deleted']);
    expect(of('change')[1]).toMatchObject({
      changed: ['last_name'],
      user: { last_name: 'Byron' },
      source: { surface: 'scim', directory_id: house.directoryId, actor: { kind: 'directory' } },
      forwarded: true,
    });
    expect(of('delivery').slice(0, 3)).toMatchObject([
      { method: 'POST', path: '/v1/users', status: 201, outcome: 'delivered' },
      { method: 'PATCH', status: 200, outcome: 'delivered' },
      { method: 'PATCH', status: 200, outcome: 'delivered' },
    ]);
    expect(of('request').map(({ method, status, outcome }) => [method, status, outcome])).toEqual([
      ['POST', 201, 'created'],
      ['PATCH', 200, 'changed'],
      ['PATCH', 200, 'changed'],
      ['DELETE', 204, 'deleted'],
    ]);
    expect(of('request').map(({ request_id }) => request_id)).toEqual(
      of('change').map(({ source }) => (source as { request_id: string }).request_id),
    );
    expect(of('seat').map(({ event, delta, reason }) => [event, delta, reason])).toEqual([
      ['claim', 1, 'created'],
      ['release', -1, 'inactive'],
    ]);
    expect(of('sign_in').map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['success', null],
      ['success', null],
      ['refused', 'account_inactive'],
    ]);
    expect(of('session').map(({ end_reason }) => end_reason)).toEqual(['ended_by_admin', 'deactivated']);
    expect(of('binding')).toMatchObject([{ made_by: 'claim', ended_at: expect.any(String) }]);
    expect(of('audit')).toMatchObject([{ event: 'sessions.ended', actor: { kind: 'key' } }]);
    expect(of('removed')).toMatchObject([{ user: { last_name: 'Byron' }, source: { surface: 'scim' } }]);
    const text = JSON.stringify(life);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/hash|id_token|name_id|sealed/);
  });

  long('is filtered by kind and time, and refuses unknown kinds', async () => {
    const { id } = await wholeLife();
    const all = await entriesOf(id);
    const some = await entriesOf(id, '&kind=seat,change');
    expect(some).toEqual(all.filter(({ kind }) => kind === 'seat' || kind === 'change'));
    const middle = all[4]!.at.slice(0, 23) + 'Z';
    const [later, earlier] = [await entriesOf(id, `&since=${middle}`), await entriesOf(id, `&until=${middle}`)];
    expect([...later, ...earlier]).toEqual(all);
    expect(earlier.length * later.length).toBeGreaterThan(0);
    for (const query of ['?kind=login', '?kind=', '?since=yesterday', '?order=up', '?user_id=x', '?format=xml']) {
      expect([query, (await house.api.get(pathOf(id, query))).status]).toEqual([query, 422]);
    }
    const { body } = await house.api.get(pathOf(id, '?limit=2'));
    for (const query of ['order=asc', 'kind=seat', `since=${middle}`]) {
      expect((await house.api.get(pathOf(id, `?${query}&cursor=${body.next_cursor}`))).status).toBe(400);
    }
    expect((await house.api.get(pathOf(id, `?cursor=${body.next_cursor}`))).status).toBe(200);
  });

  long.each(['desc', 'asc'])('is read page by page with every entry once, also while it grows (%s)', async (order) => {
    const sub = fresh('sub');
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    for (let n = 0; n < 4; n++) {
      await house.scim.patch(`/Users/${id}`, replace('name.familyName', `N${n}`));
      await door.signIn(door.tab(), { sub });
    }
    const before = await entriesOf(id, `&order=${order}`);
    expect(before.length).toBeGreaterThan(14);
    let left = 5;
    const seen = await paged(id, `limit=2&order=${order}`, async () => {
      if (left-- <= 0) return;
      await house.scim.patch(`/Users/${id}`, replace('name.familyName', `M${left}`));
      await door.signIn(door.tab(), { sub });
    });
    const ids = seen.map((entry) => entry.id);
    expect(new Set(ids).size).toBe(ids.length);
    const known = new Set(before.map((entry) => entry.id));
    expect(seen.filter((entry) => known.has(entry.id)).map((entry) => entry.id)).toEqual(before.map(({ id }) => id));
    const times = seen.map(({ at }) => at);
    expect(times).toEqual(order === 'asc' ? times.toSorted() : times.toSorted().reverse());
  });

  long.each(['desc', 'asc'])('returns entries of the same moment once (%s)', async (order) => {
    const id = await madeUser(house.scim);
    await logged(id, 1);
    const [t, at] = [house.tenantId, `'2026-01-31T12:00:00.123456Z'`];
    const unknown = `'{"kind":"system","id":"system","name":"x"}'`;
    await service.db.execute(`
      insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at, occurred_at)
        select '${t}', '${id}', 'updated', false, '{}', '{}', '{}', ${at}, ${at} from generate_series(1, 3);
      insert into audit_entries (tenant_id, at, actor, action, target_type, target_id)
        select '${t}', ${at}, ${unknown}, 'x', 'user', '${id}' from generate_series(1, 3);
      insert into seat_entries (tenant_id, kind, user_id, delta, reason, source, occurred_at)
        select '${t}', 'repair', '${id}', 0, 'x', '{}', ${at} from generate_series(1, 3);
      insert into attempts (tenant_id, subject, delivery_id, first_sequence, last_sequence, method, path, outcome,
          duration_ms, sent_at, at, n)
        select '${t}', '${id}', 'dlv_x', 1, g, 'GET', '/', 'found', 1, ${at}, ${at}, n
        from generate_series(9, 10) g, generate_series(9, 10) n`);
    const whole = await entriesOf(id, `&order=${order}`);
    expect(whole.filter((entry) => entry.at === '2026-01-31T12:00:00.123456Z')).toHaveLength(13);
    for (const limit of [1, 2, 5]) {
      expect(await paged(id, `limit=${limit}&order=${order}`, async () => undefined)).toEqual(whole);
    }
  });

  long('is not shown to other tenants, and 404 for other ids', async () => {
    const { id } = await wholeLife();
    const stranger = client(`${service.url}/api/v1`, (await service.newTenant()).apiKey);
    const [theirs, unknowns] = [await stranger.get(pathOf(id)), await stranger.get(pathOf('usr_x'))];
    expect([theirs.status, theirs.body.detail]).toEqual([404, unknowns.body.detail]);
    for (const format of ['csv', 'ndjson']) {
      expect((await stranger.get(pathOf(id, `?format=${format}`))).status).toBe(404);
    }
    expect((await house.api.get(pathOf(id))).status).toBe(200);
    expect((await house.api.get(pathOf('usr_x'))).status).toBe(404);
  });

  long('is exported whole, without formulas of a spreadsheet', async () => {
    const { id } = await wholeLife();
    const { body } = await house.api.post('/api-keys', { name: '=HYPERLINK("http://x")', scopes: ['admin'] });
    const named = client(`${service.url}/api/v1`, body.api_key);
    const other = (await named.post('/users', { email: `${fresh()}@e.com`, first_name: 'A', last_name: 'B' })).body.id;
    const whole = await entriesOf(id);
    const lines = (await house.api.get(pathOf(id, '?format=ndjson'))).text.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(whole);
    const csv = (await house.api.get(pathOf(other), undefined, { accept: 'text/csv' })).text;
    expect(csv).toContain(`"'=HYPERLINK(""http://x"")"`);
    expect(csv).not.toMatch(/(^|,)"?[=+@-]/m);
    expect(csv.split('\r\n')[0]).toBe('id,at,kind,what,actor_kind,actor_id,actor_name,request_id,details,why');
  });

  long.each(['desc', 'asc'] as const)('is read by indexes of the tenant and the user alone (%s)', async (order) => {
    await crowd();
    const place = order === 'asc' ? '-infinity' : 'infinity';
    const values = [house.tenantId, 'usr_7', '-infinity', 'infinity', place, 3, ...ENTRY_KINDS.map(() => '')];
    const rows = await service.db.transaction(null, async (tx) => {
      // The partitions of other months are empty, and would be read whole.
      await tx.query('set local enable_seqscan = off');
      const text = `explain (costs off) ${timelineSql(ENTRY_KINDS, order)}`;
      return (await tx.query<{ 'QUERY PLAN': string }>(text, values)).rows;
    });
    const plan = rows.map((row) => row['QUERY PLAN'].trim());
    const scans = plan.filter((line) => / Scan /.test(line) && !/connections|Subquery/.test(line));
    expect(scans.filter((line) => !/Index (Only )?Scan/.test(line))).toEqual([]);
    const conditions = plan.flatMap((line, n) =>
      line.startsWith('Index Cond') && !/connections_pkey|request_sources/.test(plan[n - 1]!)
        ? [{ line, index: plan[n - 1]! }]
        : [],
    );
    expect(conditions.length).toBeGreaterThanOrEqual(ENTRY_KINDS.length);
    for (const { line, index } of conditions) {
      // The index of requests has no tenant, because the id of a user belongs to one tenant.
      if (!index.includes('_user_id_at_idx')) expect(line).toContain(`(tenant_id = '${house.tenantId}'`);
      expect(line).toMatch(/\((user_id|subject|target_id|id) = 'usr_7'/);
    }
  });

  /** A tenant of many people, so that the plan is that of a large one. */
  async function crowd(): Promise<void> {
    const t = house.tenantId;
    const door = await OidcWay.open(service, house, {}, op);
    const unknown = `'{"kind":"system","id":"system","name":"x"}'`;
    const people = `generate_series(1, 3000) g`;
    await service.db.execute(`
      insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
        select '${t}', 'usr_' || g, 'updated', false, '{}', '{}', '{}', now() from ${people};
      insert into audit_entries (tenant_id, actor, action, target_type, target_id)
        select '${t}', ${unknown}, 'x', 'user', 'usr_' || g from ${people};
      insert into seat_entries (tenant_id, kind, user_id, delta, reason, source)
        select '${t}', 'repair', 'usr_' || g, 0, 'x', '{}' from ${people};
      insert into attempts (tenant_id, subject, delivery_id, first_sequence, last_sequence, method, path, outcome,
          duration_ms, sent_at, n)
        select '${t}', 'usr_' || g, 'dlv_x', g, g, 'GET', '/', 'found', 1, now(), 1 from ${people};
      insert into identities (tenant_id, connection_id, subject, user_id, made_by, made_of, ended_at)
        select '${t}', '${door.id}', g, 'usr_' || g, 'email', 'x', now() from ${people};
      insert into sessions (tenant_id, id, hash, user_id, connection_id, subject, idle_seconds, expires_at)
        select '${t}', 'ses_' || g, g::text::bytea, 'usr_' || g, '${door.id}', g, 60, now() from ${people};
      insert into sign_ins (tenant_id, id, kind, outcome, user_id, request_id)
        select '${t}', 'sin_' || g, 'sign-in', 'success', 'usr_' || g, 'r' from ${people};
      insert into deleted_users (tenant_id, id, user_name, person, deleted_by)
        select '${t}', 'usr_' || g, g, '{}', '{}' from ${people};
      insert into requests (tenant_id, at, id, directory, credential, method, path, status, duration_ms, user_id)
        select '${t}', month, 'req_' || g, 1, 1, 'PUT', '/', 200, 1, 'usr_' || g
        from ${people}, unnest(array[now(), now() + interval '1 month', now() + interval '2 years']) month;
      analyze requests, changes, audit_entries, seat_entries, attempts, identities, sessions, sign_ins, deleted_users`);
  }
});
