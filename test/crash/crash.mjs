// The promise under test: an accepted change survives a kill at any moment, reaches the platform, in order per user,
// and takes effect once. 200 users change through SCIM at concurrency 16 while the service is killed again and again,
// against a platform that fails a tenth of its calls, before or after the effect. Many are deleted and hired again. An
// admin switches the guard and the preview of the directory on and off meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service, startSandbox } from '../support/processes.mjs';
import { Person } from './person.mjs';
import { storyOf } from './story.mjs';
import { Switches } from './switches.mjs';
import { upheaval } from './upheaval.mjs';

const USERS = Number(process.env.CRASH_USERS ?? 200);
const KILLS = Number(process.env.CRASH_KILLS ?? 25);
const FAULTS = Number(process.env.CRASH_FAULTS ?? 0.1);
const ON_DELETE = process.env.CRASH_ON_DELETE ?? 'delete';
const WRITERS = 16;

const database = await freshDatabase('crash');
const sandbox = await startSandbox(database.url);
const port = await freePort();
const service = new Service({
  PORT: String(port),
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'off',
  PLATFORM_API_BASE_URL: sandbox.url,
  PLATFORM_API_KEY: 'crash-test-key',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
});
await service.start();
const { scim_token: token, api_key: apiKey, tenant_id: tenantId } = credentialsIn(database.folder);
const scim = `http://127.0.0.1:${port}/scim/v2`;
const api = `http://127.0.0.1:${port}/api/v1`;

const call = async (method, url, credential, body) => {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
};
await call('PUT', `${sandbox.url}/faults`, 'crash-test-key', { mode: '500', rate: FAULTS });
const set = await call('PUT', `${api}/platform`, apiKey, { on_delete: ON_DELETE });
if (set.status !== 200) throw new Error(`on_delete: ${set.status} ${JSON.stringify(set.body)}`);

const people = Array.from({ length: USERS }, (_, i) => new Person(i, scim, token, call));
const switches = new Switches(api, apiKey, call);
const began = performance.now();
const counts = await upheaval(service, people, {
  writers: WRITERS,
  kills: KILLS,
  done: () => people.every((person) => person.created),
  beside: () => switches.next(),
}).catch(async (error) => {
  // Such a moment may not come again for a long time: what happened to the users who changed last is printed.
  const lost = new pg.Client({ connectionString: database.url });
  await lost.connect();
  const key = /crash-\d+/.exec(error.message)?.[0];
  if (key !== undefined) for (const line of await storyOf(lost, key)) console.log(line);
  throw error;
});
await switches.settle();

console.log(
  `${counts.kills} kills in ${Math.round((performance.now() - began) / 1000)} s; waiting for the last deliveries …`,
);
const deadline = Date.now() + 180_000;
for (;;) {
  const { body } = await call('GET', `${api}/platform`, apiKey);
  if (body.waiting === 0) break;
  if (Date.now() > deadline) throw new Error(`not all was delivered: ${JSON.stringify(body)}`);
  await sleep(200);
}

// --- what must hold ---------------------------------------------------------------------------------------------------
const db = new pg.Client({ connectionString: database.url });
await db.connect();
const problems = [];
const check = (holds, text) => holds || problems.push(text);

const directory = new Map();
for (let start = 1; ; start += 100) {
  const { body } = await call('GET', `${scim}/Users?startIndex=${start}&count=100`, token);
  for (const user of body.Resources) directory.set(user.externalId, user);
  if (body.Resources.length < 100) break;
}
for (const person of people) {
  const stored = directory.get(person.externalId);
  check(person.matches(stored), `an acknowledged change of ${person.externalId} is not stored`);
}

const platform = new Map(
  (await db.query('select doc from sandbox_platform.users')).rows.map(({ doc }) => [doc.external_id, doc]),
);
for (const [key, user] of directory) {
  const there = platform.get(key);
  if (there === undefined) {
    // A user who was never active here is never created there.
    check(!user.active, `${key} is missing on the platform`);
    continue;
  }
  check(there.status === (user.active ? 'active' : 'inactive'), `${key} has another status there`);
  if (!user.active) continue;
  check(there.email === user.emails[0].value, `${key} has another e-mail there`);
  check(there.first_name === user.name.givenName, `${key} has another first name there`);
  check(there.last_name === user.name.familyName, `${key} has another last name there`);
}
for (const key of platform.keys()) check(directory.has(key), `${key} is on the platform and not in the directory`);

const { rows: calls } = await db.query(
  'select idempotency_key, user_id, body, applied, method from sandbox_platform.calls where applied order by seq',
);
const effects = new Map();
const last = new Map();
for (const { idempotency_key: key, user_id: id, body } of calls) {
  effects.set(key, (effects.get(key) ?? 0) + 1);
  const version = Number(/"last_name":"V(\d+)"/.exec(body)?.[1] ?? -1);
  if (version < 0) continue;
  check(version >= (last.get(id) ?? 0), `an older change of ${id} came after a newer one`);
  last.set(id, version);
}
const twice = [...effects.values()].filter((n) => n > 1).length;
check(twice === 0, `${twice} changes were applied twice`);

const { rows: parked } = await db.query('select count(*)::int as n from lanes where parked_reason is not null');
check(parked[0].n === 0, `${parked[0].n} changes are parked`);
const { rows: changes } = await db.query(
  `select count(*)::int as n, count(*) filter (where forwarded)::int as forwarded from changes where tenant_id = $1`,
  [tenantId],
);
// The totals by hour are as exact as the facts, however often the process was killed.
const statistics = await call('GET', `${api}/changes/statistics`, apiKey);
const total = (name) => statistics.body.data.reduce((sum, line) => sum + line[name], 0);
const { rows: confirmed } = await db.query(
  `select count(*)::int as n from attempts where tenant_id = $1 and channel = 'platform'
     and outcome in ('delivered', 'nothing_to_say')`,
  [tenantId],
);
check(total('accepted') === changes[0].n, `${total('accepted')} of ${changes[0].n} changes are in the totals`);
check(total('confirmed') === confirmed[0].n, `${total('confirmed')} of ${confirmed[0].n} calls are in the totals`);
const seats = await call('POST', `${api}/seats/verify`, apiKey);
const { rows: held } = await db.query(`select count(*)::int as n from users where seat = 'held'`);
check(seats.body.ok === true, `the seat ledger is broken: ${JSON.stringify(seats.body)}`);
check(seats.body.count === held[0].n, `the ledger counts ${seats.body.count} seats, ${held[0].n} people hold one`);
const active = [...directory.values()].filter((user) => user.active).length;
check(held[0].n === active, `${held[0].n} seats are held by ${active} active people`);

// Such a moment may not come again for a long time: a person with a fault is printed in full.
const { rows: owners } = await db.query(
  `select distinct person ->> 'external_id' as key from changes where user_id = any($1)`,
  [problems.flatMap((problem) => problem.match(/usr_[0-9a-z]+/g) ?? [])],
);
const keys = [...problems.flatMap((problem) => problem.match(/crash-\d+/g) ?? []), ...owners.map(({ key }) => key)];
for (const externalId of [...new Set(keys)].slice(0, 3))
  for (const line of await storyOf(db, externalId)) console.log(line);

await db.end();
await service.stop();
await sandbox.stop();
await database.server.stop();

const restarts = counts.restartsMs.sort((a, b) => a - b);
console.log(`
  users                              ${directory.size} of ${USERS} in the directory, ${platform.size} on the platform
  kills (SIGKILL at random moments)  ${counts.kills}
  restart to first answer            median ${restarts[Math.floor(restarts.length / 2)]} ms, longest ${restarts.at(-1)} ms
  switches of guard and preview      ${switches.count}
  changes acknowledged               ${counts.acknowledged}
  answers lost with the process      ${counts.lostAnswers}
  changes recorded                   ${changes[0].n}, of which ${changes[0].forwarded} for the platform
  effects on the platform            ${calls.length} (waiting changes of one user are folded)
  applied twice                      ${twice}
  seats held, by ledger and people   ${seats.body.count} and ${held[0].n}; ${seats.body.entries} entries verify
  problems                           ${problems.length}`);
for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
