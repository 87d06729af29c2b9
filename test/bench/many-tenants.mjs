// What many tenants and many processes cost: `npm run bench -- tenants`. 1 000 tenants of 100 users beside one of 100 000, at the
// same service, in turns; then two API processes beside one. BENCH_SCALE and BENCH_ROUNDS as in bench.mjs.
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import path from 'node:path';
import { freePort, memoryOf, Service } from '../support/processes.mjs';
import { mintToken } from '../../dist/base/crypto/tokens.js';
import { cpuOf } from './cpu.mjs';
import { load, median } from './load.mjs';
import { Report } from './report.mjs';
import { startStage } from './stage.mjs';

/** The first two or three rounds are those in which V8 compiles the service: the median has to be one of the others. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7);
const SCALE = Number(process.env.BENCH_SCALE ?? 1);
const CONCURRENCY = 16;
const TENANTS = 1_000;
const USERS = 100;
const scaled = (n) => Math.max(200, Math.round(n * SCALE));
const report = new Report();

const ENV = { ALLOW_PRIVATE_DESTINATIONS: 'on', LOG_LEVEL: 'warn' };
const { database, db, service, sink, origin, stop } = await startStage(ENV);
const tagOf = (i) => `many${String(i).padStart(6, '0')}`;
const tokens = new Map();
await seedTenants();
// The accounts of a new destination are looked through by a task: none of them shares the machine with a measurement.
await until(`select not exists (select 1 from tasks where state in ('waiting', 'running')) as so`);
await settled();
const memoryBefore = memoryOf(service.pid).now;

/** The tenant and the user of a request: the same number of users, in one tenant or in many. */
const WHO = {
  one: (i) => ({ tag: tagOf(0), user: (i * 7919) % (TENANTS * USERS) }),
  many: (i) => ({ tag: tagOf(1 + (i % TENANTS)), user: Math.floor((i * 7919) / TENANTS) % USERS }),
};
const SCIM = 'urn:ietf:params:scim:schemas:core:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const OPERATIONS = {
  create: (tag, user, i, round) => ({
    method: 'POST',
    path: '/scim/v2/Users',
    body: JSON.stringify({ schemas: [SCIM], userName: `new-${round}-${i}@${tag}.example.com`, active: true }),
  }),
  'read by id': (tag, user) => ({ method: 'GET', path: `/scim/v2/Users/${idOf(tag, user)}` }),
  'filter by userName': (tag, user) => ({
    method: 'GET',
    path: `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${tag}-${user}@example.com"`)}`,
  }),
  'PATCH active': (tag, user, i, round) => ({
    method: 'PATCH',
    path: `/scim/v2/Users/${idOf(tag, user)}`,
    body: JSON.stringify({ schemas: [PATCH], Operations: [{ op: 'replace', value: { active: round % 2 === 1 } }] }),
  }),
};
const COUNTS = { create: 3_000, 'read by id': 6_000, 'filter by userName': 6_000, 'PATCH active': 3_000 };

for (const [name, make] of Object.entries(OPERATIONS)) {
  const rates = { one: [], many: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of round % 2 === 0 ? ['one', 'many'] : ['many', 'one']) {
      rates[who].push(await load(origin, CONCURRENCY, scaled(COUNTS[name]), requestOf(who, make, round)));
      await settled();
    }
  }
  report.ratio(`${name}: ${TENANTS} tenants, to one`, median(rates.many), median(rates.one), 0.85);
}
report.atMost('memory after it, MiB more than before', memoryOf(service.pid).now - memoryBefore, null, 0);

// --- at rest -------------------------------------------------------------------------------------------------------------
await sleep(30_000); // What was written is sealed, and the heads of chains are signed.
const busyMs = cpuOf(service.pid);
await sleep(20_000);
report.atMost('at rest, CPU of the service in % of a core', (cpuOf(service.pid) - busyMs) / 200, 2);

// --- processes -----------------------------------------------------------------------------------------------------------
const second = new Service({
  ...service.env,
  PORT: String(await freePort()),
  ROLE: 'api',
});
await second.start();
const origins = [origin, `http://127.0.0.1:${second.env.PORT}`];
for (const name of ['read by id', 'create']) {
  const rates = { one: [], two: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const count = scaled(COUNTS[name]);
    const at = (from) => requestOf('many', OPERATIONS[name], `${round}-${from}`);
    rates.one.push(await load(origins[0], CONCURRENCY, count, at('a')));
    const both = await Promise.all(origins.map((each, i) => load(each, CONCURRENCY / 2, count / 2, at(`b${i}`))));
    rates.two.push(both[0] + both[1]);
    await settled();
  }
  const cores = os.availableParallelism();
  report.ratio(
    `${name}: two API processes, to one (${cores} cores, PostgreSQL's included)`,
    median(rates.two),
    median(rates.one),
    cores >= 6 ? 1.7 : null,
  );
}
await second.stop();

const failed = report.print();
await service.stop();
await stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

// --- help ----------------------------------------------------------------------------------------------------------------

function idOf(tag, user) {
  return `usr_${tag}${String(user).padStart(8, '0')}`;
}

function requestOf(who, make, round) {
  return (i) => {
    const { tag, user } = WHO[who](i);
    const headers = { authorization: `Bearer ${tokens.get(tag)}`, 'content-type': 'application/scim+json' };
    return { headers, ...make(tag, user, i, round) };
  };
}

async function seedTenants() {
  const client = await db.connect();
  await client.query(`create temporary table seeded as select 'ten_' || tag as tenant_id, 'dir_' || tag as directory_id, tag,
      case n when 0 then ${TENANTS * USERS} else ${USERS} end as users
    from (select n, 'many' || lpad(n::text, 6, '0') as tag from generate_series(0, ${TENANTS}) n) s`);
  await client.query(readFileSync(path.join(import.meta.dirname, '../support/many-tenants.sql'), 'utf8'));
  await client.query('analyze');
  const keys = [];
  for (let i = 0; i <= TENANTS; i++) {
    const tag = tagOf(i);
    const { token, hash } = mintToken('tbs', `ten_${tag}`);
    const key = mintToken('tbk', `ten_${tag}`);
    tokens.set(tag, token);
    keys.push({ tag, scim: hash.toString('hex'), api: key.hash.toString('hex'), token: key.token });
  }
  await client.query(
    `insert into scim_tokens (tenant_id, id, directory_id, name, prefix, hash, created_by)
     select 'ten_' || tag, 'sct_' || tag, 'dir_' || tag, 'bench', 'tbs', decode(scim, 'hex'), '{}'
     from jsonb_to_recordset($1::jsonb) k (tag text, scim text)`,
    [JSON.stringify(keys)],
  );
  await client.query(
    `insert into api_keys (tenant_id, id, name, prefix, hash, scopes, owner_kind, created_by)
     select 'ten_' || tag, 'key_' || tag, 'bench', 'tbk', decode(api, 'hex'), '{admin}', 'service', '{}'
     from jsonb_to_recordset($1::jsonb) k (tag text, api text)`,
    [JSON.stringify(keys)],
  );
  await client.query('analyze scim_tokens; analyze api_keys');
  client.release();
  // The service seals the keys of destinations, so they come by its API.
  const connect = (i) => ({
    method: 'PUT',
    path: '/api/v1/platform',
    headers: { authorization: `Bearer ${keys[i].token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ base_url: sink.url, api_key: 'bench' }),
  });
  await load(origin, 4, keys.length, connect);
}

/** What was written is forwarded before the next measurement begins: they must not share the machine. */
function settled() {
  return until(`select not exists (select 1 from lanes where first_pending is not null) as so`);
}

async function until(statement) {
  for (;;) {
    const { rows } = await db.query(statement);
    if (rows[0].so) return;
    await sleep(50);
  }
}
