import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mintToken } from '../../../src/base/crypto/tokens.js';
import { Database } from '../../../src/base/database/database.js';
import { listAttempts } from '../../../src/engine/delivery/attempts.js';
import { waitingPage } from '../../../src/engine/delivery/lanes/read.js';
import { EndpointsRepository } from '../../../src/integrations/webhooks/endpoints.repository.js';
import { AccountsRepository } from '../../../src/auth/sign-in/accounts/accounts.repository.js';
import { EventReader } from '../../../src/engine/events/event-reader.js';
import { SERVICE_ROLE } from '../../../src/base/database/service-role.js';
import { startApp, type TestApp } from '../../support/app.js';
import { eventually, send } from '../../support/http.js';
import { newHouse, type House } from '../../support/house.js';
import { seed } from '../../support/many-tenants.js';
import { PlanRecorder, rowsRead } from '../../support/plans.js';
import { group, patch, user } from '../../support/scim.js';

// One tenant of 100 000 users beside 1 000 small ones, in tables that have been analysed: every statement that the service
// runs while a tour drives its main roads is judged by the plan that it had and the rows that it read.
const BIG = 100_000;
const SMALL_TENANTS = 1_000;

/** Tables with rows for the installation, and one that each round of its reader empties. */
const SMALL = new Set([
  'installation',
  'work_entries',
  'service_keys',
  'chain_keys',
  'storage_probe',
  'population_steps',
  'processes',
]);

/**
 * Statements whose answer is about all rows of a tenant, or all tenants: figures once for each answer of `/metrics`, the
 * users of each role, and the seats of a past day in batches of 10 000 users.
 */
const SUMS = [
  'select state, count(*) as n from destinations',
  'select coalesce(sum(count), 0)::int as held from chain_heads',
  'select c.key as class, sum(c.value::numeric)::float8 as bytes',
  'select r.name, r.takes_seat, r.console, r.created_at,',
  'select user_id, sum(delta)::int as net from seat_entries',
];

let recorder: PlanRecorder;
let service: TestApp;
let house: House;
let platform: Server;

beforeAll(async () => {
  recorder = new PlanRecorder(SERVICE_ROLE);
  service = await startApp({}, undefined, { prepare: (database) => PlanRecorder.settings(database) });
  house = await newHouse(service);
  await seed(
    service.db,
    `select 'ten_many' || lpad(t::text, 8, '0'), 'dir_many' || t, 'many' || t, 20 from generate_series(1, ${SMALL_TENANTS}) t
     union all select '${house.tenantId}', '${house.directoryId}', 'big', ${BIG}`,
  );
  platform = createServer((req, res) => {
    req.resume().on('end', () => res.writeHead(201, { 'content-type': 'application/json' }).end('{"id":"hp_1"}'));
  });
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
}, 300_000);
afterAll(async () => {
  recorder.stop();
  platform.close();
  await service.close();
});

const faultsDuring = (tour: () => Promise<void>) => recorder.faultsDuring(tour, SMALL, SUMS);

const filter = (text: string): string => `filter=${encodeURIComponent(text)}`;

async function ok(answer: Promise<{ status: number; text: string }>, status = 200): Promise<void> {
  const { status: found, text } = await answer;
  if (found !== status) throw new Error(`${found} in place of ${status}: ${text.slice(0, 400)}`);
}

it('reads no table whole and sorts no more than a page: SCIM users', async () => {
  const { scim } = house;
  const { faults, ran } = await faultsDuring(async () => {
    for (let i = 0; i < 4; i++) {
      const made = await scim.post('/Users', user(`new-${i}@example.com`, { externalId: `new-${i}`, active: true }));
      const at = `/Users/${made.body.id}`;
      await ok(scim.get(at));
      await ok(scim.patch(at, patch({ op: 'replace', path: 'active', value: false })));
      await ok(scim.patch(at, patch({ op: 'replace', path: 'name.familyName', value: 'Other' })));
      await ok(scim.put(at, user(`new-${i}@example.com`, { externalId: `new-${i}`, active: true })));
      await ok(scim.post('/Users', user(`new-${i}@example.com`)), 409);
      await ok(scim.delete(at), 204);
    }
    for (const each of ['userName eq "big-77000@example.com"', 'externalId eq "big-77000"',
      'emails[type eq "work" and value eq "big-77000@example.com"]', 'emails.value eq "big-77000@example.com"',
      'id eq "usr_big00077000"', 'userName eq "no-one@example.com"']) {
      await ok(scim.get(`/Users?${filter(each)}`));
    } // prettier-ignore
    await ok(scim.get('/Users?count=100'));
    await ok(scim.get('/Users?startIndex=90001&count=100'));
    for (const order of [
      '',
      '&sortBy=userName',
      '&sortBy=meta.lastModified',
      '&sortBy=meta.created&sortOrder=descending',
    ]) {
      const first = await scim.get(`/Users?count=100&cursor=${order}`);
      await ok(scim.get(`/Users?count=100&cursor=${first.body.nextCursor}${order}`));
    }
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(20);
});

it('reads no table whole for concurrent requests, which run as one statement', async () => {
  const { scim } = house;
  const numbers = Array.from({ length: 24 }, (_, i) => i);
  const { faults, ran } = await faultsDuring(async () => {
    for (let round = 0; round < 4; round++) {
      const body = (i: number) =>
        user(`once-${round}-${i}@example.com`, { externalId: `once-${round}-${i}`, active: true });
      const made = await Promise.all(numbers.map((i) => scim.post('/Users', body(i))));
      const at = (i: number) => `/Users/${made[i]!.body.id}`;
      const all = (act: (i: number) => Promise<void>) => Promise.all(numbers.map(act));
      await all((i) => ok(scim.post('/Users', body(i)), 409));
      await all((i) => ok(scim.get(at(i))));
      await all((i) => ok(scim.patch(at(i), patch({ op: 'replace', path: 'active', value: false }))));
      await all((i) => ok(scim.patch(at(i), patch({ op: 'replace', path: 'active', value: true }))));
      await all((i) => ok(scim.put(at(i), user(`once-${round}-${i}@example.com`, { title: 'New', active: true }))));
      await all((i) => ok(scim.delete(at(i)), 204));
    }
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(10);
});

it('reads no table whole: SCIM groups', async () => {
  const { scim } = house;
  const members = (...ids: number[]) => ids.map((i) => ({ value: `usr_big${String(i).padStart(8, '0')}` }));
  const { faults, ran } = await faultsDuring(async () => {
    for (let i = 0; i < 3; i++) {
      const made = await scim.post('/Groups', group(`New ${i}`, { members: members(1, 2, 3) }));
      const more = [0, 1, 2, 3].map((k) => scim.post('/Groups', group(`New ${i} ${k}`, { members: members(k, 2, 3) })));
      await Promise.all(more.map((answer) => ok(answer, 201)));
      const at = `/Groups/${made.body.id}`;
      await ok(scim.get(at));
      await ok(scim.patch(at, patch({ op: 'add', path: 'members', value: members(4) })), 204);
      await ok(scim.patch(at, patch({ op: 'remove', path: 'members', value: members(4) })), 204);
      await ok(scim.patch(at, patch({ op: 'replace', path: 'displayName', value: `Renamed ${i}` })), 204);
      await ok(scim.put(at, group(`Renamed ${i}`, { members: members(5, 6) })));
      await ok(scim.delete(at), 204);
    }
    const full = '/Groups/grp_big00000000';
    const newcomer = (await scim.post('/Users', user('newcomer@example.com'))).body.id as string;
    for (let i = 0; i < 3; i++) {
      await ok(scim.patch(full, patch({ op: 'add', path: 'members', value: [{ value: newcomer }] })), 204);
      await ok(scim.patch(full, patch({ op: 'remove', path: `members[value eq "${newcomer}"]` })), 204);
      await ok(scim.get(`${full}?excludedAttributes=members`));
      await ok(scim.get(`/Groups?${filter('displayName eq "Group 700"')}&excludedAttributes=members`));
      await ok(scim.get(`/Groups?${filter('id eq "grp_big00000000" and members eq "usr_big00000007"')}`));
      await ok(scim.get('/Groups?count=100&excludedAttributes=members'));
    }
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(15);
});

it('reads no table whole: forwarding and background work', async () => {
  const { api, scim } = house;
  const { faults, ran } = await faultsDuring(async () => {
    const { port } = platform.address() as AddressInfo;
    await ok(api.put('/platform', { base_url: `http://127.0.0.1:${port}`, api_key: 'k' }));
    for (let i = 0; i < 20; i++) await scim.post('/Users', user(`forwarded-${i}@example.com`));
    await eventually(
      () => service.db.execute(`select 1 from lanes where tenant_id = '${house.tenantId}' and subject not like 'usr_big%'
        and state <> 'idle'`),
      ({ rowCount }) => rowCount === 0,
      30_000,
    ); // prettier-ignore
    const { body } = await api.get('/changes?limit=50');
    await ok(api.get(`/changes/${body.data[0].id}`));
    await ok(api.get('/platform'));
    // Once around for the slowest loop that finds work: fifteen seconds.
    await new Promise((resolve) => setTimeout(resolve, 17_000));
    await ok(send('GET', `${service.url}/metrics`, service.operatorToken));
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(20);
}, 120_000);

it('reads no table whole: sessions, seats, lists and logs', async () => {
  const { api } = house;
  const accounts = service.app.nest.get(AccountsRepository, { strict: false });
  const { token, hash } = mintToken('tbn', house.tenantId);
  await service.db.query(`update sessions set hash = $3 where tenant_id = $1 and id = $2`, [
    house.tenantId,
    'ses_big10',
    hash,
  ]);
  const { faults, ran } = await faultsDuring(async () => {
    for (let i = 0; i < 2; i++) {
      const cookie = { cookie: `__Host-session=${token}` };
      await ok(send('GET', `${service.url}/api/auth/session`, null, undefined, cookie));
      for (const at of LISTS) await ok(api.get(at));
    }
    expect(await accounts.emailClaimants(house.tenantId, ['big-77000@example.com', 'x@example.com'])).toHaveLength(1);
    await ok(api.put('/seats/limit', { limit: BIG + 100 }));
    for (let i = 0; i < 4; i++)
      await ok(api.post('/users', { email: `api-${i}@example.com`, first_name: 'A', last_name: 'B' }), 201);
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(20);
});

it('reads as many users as it may show: a search by a beginning that none, one, or all of 100 000 users have', async () => {
  const { api } = house;
  const few = ['big-77000', 'BIG-77000@', 'g77000', 'G77000 F7', 'f77000', 'nothing'];
  const { faults, ran } = await faultsDuring(async () => {
    for (const text of [...few, 'big', 'g', 'f']) {
      await ok(api.get(`/search?q=${encodeURIComponent(text)}`));
      await ok(api.get(`/users?limit=50&q=${encodeURIComponent(text)}`));
    }
    await ok(api.get('/search?q=g7'));
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(4);
  // Ten of each index, five times as many of the e-mails, and the page.
  const searches = recorder.ran.filter(({ text }) => text.startsWith('with first as'));
  expect(searches.length).toBeGreaterThanOrEqual(10);
  for (const { plan } of searches) expect(rowsRead(plan)).toBeLessThan(200);
  for (const text of few) {
    recorder.ran.length = 0;
    recorder.start();
    await ok(api.get(`/users?limit=50&q=${encodeURIComponent(text)}`));
    // Background work runs beside.
    const ofUsers = recorder.ran.filter(({ text: statement }) => statement.includes('from users u'));
    expect(ofUsers.length).toBeGreaterThan(0);
    const read = ofUsers.map(({ text: statement, plan }) => [rowsRead(plan), statement] as const);
    expect([text, read.filter(([rows]) => rows > 30)]).toEqual([text, []]);
  }
});

it('reads a bounded part of 100 000 users: administrators, a role, a beginning of the oldest ones, counts of a directory', async () => {
  const { api } = house;
  const oldest = (count: number) => `usr_big${String(count).padStart(8, '0')}`;
  const change = (what: string, count: number) =>
    service.db.query(`update users set ${what} where tenant_id = $1 and id like 'usr_big%' and id < $2`, [
      house.tenantId,
      oldest(count),
    ]);
  await change(`role = 'Admin'`, 10);
  await change(`last_name = 'Zimmer'`, 1_100);
  await service.db.execute('vacuum analyze users');
  const most: Record<string, number> = {
    '/members': 100,
    '/users?role=Admin&limit=50': 100,
    '/users?q=zimmer&limit=50': 15_000,
    // Its 10 000 groups are counted, and no user.
    [`/directories/${house.directoryId}`]: 20_000,
  };
  for (const [path, rows] of Object.entries(most)) {
    recorder.ran.length = 0;
    recorder.start();
    // A generic plan comes after five custom ones.
    for (let i = 0; i < 8; i++) {
      const { body } = await api.get(path);
      if (path.startsWith('/users')) expect(body.data).toHaveLength(path.includes('Admin') ? 10 : 50);
    }
    const ofUsers = recorder.ran.filter(({ text }) => /from (users|population) /.test(text));
    expect(ofUsers.length).toBeGreaterThan(0);
    const read = ofUsers.map(({ text, plan }) => [rowsRead(plan), text] as const);
    expect([path, read.filter(([n]) => n > rows)]).toEqual([path, []]);
  }
});

it('reads no table whole: the feed of events, their list, and the reads of deliveries', async () => {
  // 100 000 events of the large tenant in three months, three for each record, beside those of the small ones.
  await service.db.execute(
    `select make_month('events', date_trunc('month', now())::date - n) from unnest('{1, 32}'::int[]) as n`,
  );
  await service.db.execute(
    `insert into events (tenant_id, at, event, record, data)
     select '${house.tenantId}', now() - (2 - n * 3 / ${BIG}) * interval '1 month',
       case when n % 10000 = 0 then 'candidate.deleted' else 'candidate.updated' end, 'cand_' || n % ${BIG / 3},
       '{"id":"cand_1","sequence":1}' from generate_series(1, ${BIG}) n`,
  );
  await service.db.execute('analyze events');
  const { rows } = await service.db.query<{ sequence: string; record: string }>(
    `select sequence, record from events where tenant_id = $1 and record is not null order by random() limit 250`,
    [house.tenantId],
  );
  const { rows: changes } = await service.db.query<{ sequence: string; user_id: string }>(
    `select sequence, user_id from changes where tenant_id = $1 and user_id like 'usr_big%' order by random() limit 250`,
    [house.tenantId],
  );
  const reader = service.app.nest.get(EventReader);
  const asked = [
    ...rows.map(({ record }) => ({ record, from: '1', through: rows[0]!.sequence })),
    ...changes.map(({ user_id: record, sequence }) => ({ record, from: '1', through: sequence })),
  ];
  // The feed ends before what began while an older transaction runs, be it in a database of another test.
  const feed = (after: string) => house.api.get(`/events?after=${after}&limit=1000`);
  await eventually(
    () => feed(''),
    ({ body }) => body.data.length === 1_000,
    60_000,
  );
  const { faults, ran } = await faultsDuring(async () => {
    let after = '';
    for (let i = 0; i < 3; i++) {
      const { status, body } = await feed(after);
      expect([status, body.data.length]).toEqual([200, 1_000]);
      after = body.next_after;
    }
    await ok(house.api.get(`/events?after=evt_${rows[0]!.sequence.padStart(16, '0')}&limit=1000`));
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    for (const filter of ['event=candidate.deleted', 'event=domain.lost', 'event=user.deleted', `since=${hourAgo}`]) {
      await ok(house.api.get(`/events?limit=50&${filter}`));
    }
    const messages = [...rows, ...changes].map(({ sequence }) => sequence);
    expect(await reader.bySequences(house.tenantId, messages)).toHaveLength(500);
    await reader.nextOf(house.tenantId, asked, null);
    await reader.nextOf(house.tenantId, asked, ['candidate.deleted', 'user.updated']);
    await reader.ofRecord(house.tenantId, rows[0]!.record, 20);
    await reader.ofRecord(house.tenantId, PERSON, 20);
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(8);
}, 120_000);

it('reads no table whole: waiting, tried and given-up messages of an endpoint, also deep in the list', async () => {
  const db = service.app.nest.get(Database);
  const key = { tenantId: house.tenantId, channel: 'webhook', id: 'whk_big' };
  await service.db.query(
    `insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     select $1, 'webhook', 'whk_big', 'evt_' || lpad(n::text, 16, '0'), 'due', 'active', '', 1, n, n, now()
     from generate_series(1, ${BIG}) n`,
    [house.tenantId],
  );
  await service.db.query(
    `insert into attempts (tenant_id, channel, destination, subject, delivery_id, first_sequence, last_sequence, method,
       path, status, outcome, duration_ms, sent_at, n, at)
     select $1, 'webhook', 'whk_big', 'evt_' || n, 'evt_' || n, n, n, 'POST', '/', 204, 'delivered', 1, now(), 1,
       now() - n * interval '1 second'
     from generate_series(1, ${BIG}) n`,
    [house.tenantId],
  );
  await service.db.query(
    `insert into webhook_given_up (tenant_id, endpoint_id, sequence, at, record, event, reason)
     select $1, 'whk_big', n, now(), null, 'job.synced', 'status_500' from generate_series(1, ${BIG}) n`,
    [house.tenantId],
  );
  await service.db.execute('analyze lanes, attempts, webhook_given_up');
  const givenUp = service.app.nest.get(EndpointsRepository, { strict: false });
  const halfWay = new Date(Date.now() - (BIG / 2) * 1_000).toISOString();
  const { faults, ran } = await faultsDuring(async () => {
    for (const after of [null, `evt_${String(BIG / 2).padStart(16, '0')}`]) {
      expect(await waitingPage(db, key, { after, limit: 50 })).toHaveLength(51);
    }
    for (const after of [null, `${halfWay} 1 evt_5`]) {
      expect(await listAttempts(db, key, {}, { after, limit: 50 })).toHaveLength(51);
    }
    for (const after of [null, String(BIG / 2)]) {
      expect(await givenUp.listGivenUp(house.tenantId, 'whk_big', after, 50)).toHaveLength(51);
    }
  });
  expect(faults).toEqual([]);
  expect(ran).toBeGreaterThan(2);
}, 120_000);

const PERSON = 'usr_big00000100';
const LISTS = [
  '/seats', '/seats/usage?from=2026-01-01&to=2026-03-31', '/seats/holders?limit=50', '/seats/events?limit=50', '/seats/heads',
  '/users?limit=50', `/users/${PERSON}`, `/users/${PERSON}/history`, `/users/${PERSON}/explain`, `/users/${PERSON}/sessions`,
  `/users/${PERSON}/identities`, '/held?limit=50', '/leavers?limit=50', `/leavers/${PERSON}`, '/changes?limit=50',
  `/changes?user_id=${PERSON}`, '/audit?limit=50', `/audit?target_type=user&target_id=${PERSON}`, '/sign-ins?limit=50', `/sign-ins?user_id=${PERSON}`,
  '/events?limit=50', '/tasks?limit=50', '/directories?limit=50', '/connections?limit=50', '/domains?limit=50', '/api-keys?limit=50',
  '/roles', '/resolve?type=user&external_id=big-7',
]; // prettier-ignore
