// What the service costs, side by side in one run with a raw node http + pg program that stores the same rows with one
// statement per write. Only the ratios mean anything on another machine; the absolute figures are there for scale.
import { rmSync } from 'node:fs';
import { credentialsIn, memoryOf } from '../support/processes.mjs';
import { latencies, load, median } from './load.mjs';
import { Report } from './report.mjs';
import { seedGroups, seedUsers } from './seed.mjs';
import { secondLayer } from './second-layer.mjs';
import { startRaw } from './peers.mjs';
import { forwarding } from './forwarding.mjs';
import { startStage } from './stage.mjs';
import { mintToken } from '../../dist/base/crypto/tokens.js';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const SCALE = Number(process.env.BENCH_SCALE ?? 1);
const CONCURRENCY = 16;
const scaled = (n) => Math.max(50, Math.round(n * SCALE));
const report = new Report();

const { database, db, sink, service, token, apiKey, tenant, origin } = await startStage();
const { rows: directories } = await db.query('select id from directories where tenant_id = $1', [tenant]);
await db.query(`insert into tenants (id, name) values ('ten_raw', 'raw')`);
await db.query(
  `insert into directories (tenant_id, id, name, profile) values ('ten_raw', 'dir_raw', 'raw', 'tolerant')`,
);
const raw = await startRaw(database.url, 'ten_raw', 'dir_raw');

const ORIGIN = { raw: raw.url, ours: origin };
const PREFIX = { raw: '', ours: '/scim/v2' };
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const resource = (tag, i, name = `F${i}`) => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: `${tag}-${i}@example.com`,
  externalId: `${tag}-${i}`,
  name: { givenName: `G${i}`, familyName: name },
  displayName: `G${i} F${i}`,
  emails: [{ value: `${tag}-${i}@example.com`, type: 'work', primary: true }],
  active: true,
});
const patchBody = (operations) =>
  JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations });

/** Measures raw and ours in turns; answers the medians. `make(who, round)` gives the request of each index. */
async function sideBySide(name, target, count, make) {
  const rates = { raw: [], ours: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of round % 2 === 0 ? ['raw', 'ours'] : ['ours', 'raw']) {
      const one = make(who, round);
      const requestOf = (i) => {
        const request = one(i);
        return { headers, ...request, path: request.absolute ?? PREFIX[who] + request.path };
      };
      requestOf.seen = one.seen;
      rates[who].push(await load(ORIGIN[who], CONCURRENCY, count, requestOf));
    }
  }
  report.ratio(name, median(rates.ours), median(rates.raw), target);
}

// --- single requests ----------------------------------------------------------------------------------------------------
const ids = { raw: [], ours: [] };
await sideBySide('create', 0.45, scaled(2000), (who, round) => {
  const one = (i) => ({ method: 'POST', path: '/Users', body: JSON.stringify(resource(`${who}${round}`, i)) });
  one.seen = (i, text) => round === 0 && (ids[who][i] = JSON.parse(text).id);
  return one;
});
await settled();
await sideBySide('read by id', 0.3, scaled(5000), (who) => (i) => ({
  method: 'GET',
  path: `/Users/${ids[who][i % ids[who].length]}`,
}));
await sideBySide('filter by userName', 0.3, scaled(5000), (who) => (i) => ({
  method: 'GET',
  path: `/Users?filter=userName%20eq%20%22${who}0-${i % ids[who].length}@example.com%22`,
}));
await sideBySide('PATCH active', 0.4, scaled(2000), (who, round) => (i) => ({
  method: 'PATCH',
  path: `/Users/${ids[who][i]}`,
  body: patchBody([{ op: 'replace', value: { active: round % 2 === 1 } }]),
}));
await settled();
await sideBySide('PUT', 0.45, scaled(2000), (who, round) => (i) => ({
  method: 'PUT',
  path: `/Users/${ids[who][i]}`,
  body: JSON.stringify(resource(`${who}0`, i, `Put${round}`)),
}));
await settled();
await sideBySide('page of 100', 0.5, scaled(500), (who) => () => ({
  method: 'GET',
  path: who === 'raw' ? '/Users?after=' : '/Users?count=100',
}));

// --- who is signed in: asked of the database each time, so that out means out ---------------------------------------------
await db.query(
  `insert into connections (tenant_id, id, slug, name, type, enabled, settings) values ($1, 'con_bench', 'bench', 'b', 'oidc', true, '{}')`,
  [tenant],
);
await db.query(`update users set status = 'active' where tenant_id = $1`, [tenant]);
const cookies = [];
for (let i = 0; i < 1_000; i++) {
  const { token: secret, hash } = mintToken('tbn', tenant);
  cookies.push(`__Host-session=${secret}`);
  await db.query(
    `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idle_seconds, expires_at)
     values ($1, $2, $3, $4, (select session_epoch from users where tenant_id = $1 and id = $4), 'con_bench', 's', 3600, now() + interval '1 hour')`,
    [tenant, `ses_bench${i}`, hash, ids.ours[i % ids.ours.length]],
  );
}
await db.query('analyze sessions');
await sideBySide(
  'who is signed in, to a raw read by id',
  0.25,
  scaled(5000),
  (who) => (i) =>
    who === 'raw'
      ? { method: 'GET', path: `/Users/${ids.raw[i % ids.raw.length]}` }
      : { method: 'GET', absolute: '/api/auth/session', path: '', headers: { cookie: cookies[i % cookies.length] } },
);

// --- a fresh tenant that no statistics know ------------------------------------------------------------------------------
const fresh = await newTenant('fresh');
const asFresh = { ...headers, authorization: `Bearer ${fresh.token}` };
const freshRequests = (i) =>
  [
    {
      method: 'GET',
      headers: asFresh,
      path: `/scim/v2/Users?filter=userName%20eq%20%22fresh-${i % 10_000}@example.com%22`,
    },
    {
      method: 'GET',
      headers: asFresh,
      path: `/scim/v2/Users?filter=emails%5Bvalue%20eq%20%22fresh-${i % 10_000}@example.com%22%5D`,
    },
    { method: 'GET', headers: asFresh, path: `/scim/v2/Users?filter=externalId%20eq%20%22fresh-${i % 10_000}%22` },
  ][i % 3];
await latencies(ORIGIN.ours, 4, scaled(1500), freshRequests); // every connection has its plans, made while the tenant was empty
await seedUsers(db, fresh.tenant, fresh.directory, 10_000, 'fresh');
const unanalysed = median(await latencies(ORIGIN.ours, 4, scaled(3000), freshRequests));
await db.query('analyze');
const analysed = median(await latencies(ORIGIN.ours, 4, scaled(3000), freshRequests));
report.atMost('a tenant of 10 000 before and after ANALYZE (look-ups)', unanalysed / analysed, 1.3);

// --- depth ----------------------------------------------------------------------------------------------------------------
const deep = await newTenant('deep');
const userIds = await seedUsers(db, deep.tenant, deep.directory, 100_000, 'deep');
await db.query('analyze users');
const asDeep = { ...headers, authorization: `Bearer ${deep.token}` };
const cursorAt90 = await walkTo(90_000);
const first = median(
  await latencies(ORIGIN.ours, 1, 150, () => ({
    method: 'GET',
    headers: asDeep,
    path: '/scim/v2/Users?count=100&cursor=',
  })),
);
const at90 = median(
  await latencies(ORIGIN.ours, 1, 150, () => ({
    method: 'GET',
    headers: asDeep,
    path: `/scim/v2/Users?count=100&cursor=${cursorAt90}`,
  })),
);
report.atMost('the page at 90 % of 100 000 by cursor, to the first', at90 / first, 1.2);

// --- groups ---------------------------------------------------------------------------------------------------------------
const sizes = [10, 1_000, 10_000, 100_000];
const groups = await seedGroups(db, deep.tenant, deep.directory, userIds, sizes);
const newcomers = await seedUsers(db, deep.tenant, deep.directory, 400, 'newcomer');
await db.query('analyze');
const memberTimes = new Map(sizes.map((size) => [size, []]));
for (let round = 0; round < ROUNDS; round++) {
  for (const size of sizes) {
    const edit = (op) => (i) => ({
      method: 'PATCH',
      headers: asDeep,
      path: `/scim/v2/Groups/${groups.get(size)}`,
      body: patchBody([{ op, path: 'members', value: [{ value: newcomers[i] }] }]),
    });
    const added = await latencies(ORIGIN.ours, 1, newcomers.length, edit('add'));
    const removed = await latencies(ORIGIN.ours, 1, newcomers.length, edit('remove'));
    memberTimes.get(size).push((median(added) + median(removed)) / 2);
  }
}
const perMember = (size) => median(memberTimes.get(size));
for (const size of sizes.slice(1)) {
  report.atMost(
    `one member more or fewer in ${size}, to one of 10`,
    perMember(size) / perMember(10),
    size === 100_000 ? 1.15 : null,
  );
}
await db.query(
  `insert into groups select 'ten_raw', id, 'dir_raw', doc, display_name, display_name_key, external_id from groups where id = $1`,
  [groups.get(100_000)],
);
const groupRates = { raw: [], ours: [] };
for (let round = 0; round < ROUNDS; round++) {
  const id = groups.get(100_000);
  groupRates.raw.push(await load(raw.url, CONCURRENCY, scaled(3000), () => ({ method: 'GET', path: `/Groups/${id}` })));
  const request = { method: 'GET', headers: asDeep, path: `/scim/v2/Groups/${id}?excludedAttributes=members` };
  groupRates.ours.push(await load(ORIGIN.ours, CONCURRENCY, scaled(3000), () => request));
}
report.ratio('a group of 100 000 read without members', median(groupRates.ours), median(groupRates.raw), 0.25);

// --- first sync -----------------------------------------------------------------------------------------------------------
const SYNC = scaled(10_000);
await service.stop();
const cold = [];
for (let i = 0; i < 3; i++) {
  cold.push(await service.start());
  if (i < 2) await service.stop();
}
const syncRates = {};
for (const who of ['raw', 'ours']) {
  // As an IdP does it: look for the user, then create it.
  const requestOf = (i) => {
    const n = i >> 1;
    const request =
      i % 2 === 0
        ? { method: 'GET', path: `/Users?filter=userName%20eq%20%22sync${who}-${n}@example.com%22` }
        : { method: 'POST', path: '/Users', body: JSON.stringify(resource(`sync${who}`, n)) };
    return { headers, ...request, path: PREFIX[who] + request.path };
  };
  syncRates[who] = (await load(ORIGIN[who], CONCURRENCY, SYNC * 2, requestOf)) / 2;
}
const memory = memoryOf(service.pid);
report.ratio(`first sync of ${SYNC} users (look-up and create)`, syncRates.ours, syncRates.raw, 0.45);
report.atMost('peak memory after it, MiB', memory.peak, 200, 0);
await settled();

// --- the platform ---------------------------------------------------------------------------------------------------------
await forwarding({ report, db, sink, service, tenant, apiKey, origin: ORIGIN.ours, count: scaled(12_000) });

const write = (tag) => (i) => ({
  method: 'POST',
  headers,
  path: '/scim/v2/Users',
  body: JSON.stringify(resource(tag, i)),
});
const whileUp = median(await latencies(ORIGIN.ours, 8, scaled(1500), write('up')));
await settled();
sink.mode('hang');
const whileHanging = median(await latencies(ORIGIN.ours, 8, scaled(1500), write('hanging')));
sink.mode('down');
const whileDown = median(await latencies(ORIGIN.ours, 8, scaled(1500), write('down')));
sink.mode('up');
report.atMost('a SCIM write while the platform hangs, to while it is up', whileHanging / whileUp, null);
report.atMost('a SCIM write while the platform is down, to while it is up', whileDown / whileUp, null);
report.atMost('process start to first answer, ms (database up)', median(cold), 1500, 0);

const failed = report.print();
await service.stop();
await raw.stop();
await secondLayer(db, database.url, report);
await sink.stop();
await db.end();
await database.server.stop();
rmSync(database.server.folder, { recursive: true, force: true });
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

// --- help -----------------------------------------------------------------------------------------------------------------

/** What was written by the last measurement is delivered before the next one begins: they must not share the machine. */
async function settled() {
  for (;;) {
    const { rows } = await db.query(
      `select exists (select 1 from lanes where tenant_id = $1 and first_pending is not null) as busy`,
      [tenant],
    );
    if (!rows[0].busy) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function newTenant(name) {
  const operator = credentialsIn(database.folder).operator_token;
  const call = async (path, credential, body) => {
    const response = await fetch(`${ORIGIN.ours}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  const made = await call('/tenants', operator, { name, api_key: {} });
  const directory = await call('/directories', made.api_key, { name, guard: 'off' });
  return { tenant: made.id, directory: directory.id, token: directory.scim_token };
}

/** The cursor that stands after so many users, reached as a client reaches it. */
async function walkTo(place) {
  let cursor = '';
  for (let seen = 0; seen < place; seen += 100) {
    const response = await fetch(`${ORIGIN.ours}/scim/v2/Users?count=100&cursor=${cursor}`, { headers: asDeep });
    cursor = (await response.json()).nextCursor;
  }
  return cursor;
}
