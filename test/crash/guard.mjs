// The promise under test: of a directory whose limit is L exactly L users leave, by each way that takes them out of force, one at a
// time or all at once, through two processes, and when a process is killed meanwhile. The rest is held, the IdP reads back
// what it wrote, and the platform receives each departure once. Each round is a directory of its own.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service, startSandbox } from '../support/processes.mjs';
import { ACTS, WAYS, Departures } from './departures.mjs';

const ROUNDS = Number(process.env.GUARD_ROUNDS ?? 28);
/** A process is killed in each round whose number can be divided by this. */
const KILL_EVERY = 4;

const database = await freshDatabase('crash-guard');
const sandbox = await startSandbox(database.url);
const processAt = (port) =>
  new Service({
    PORT: String(port),
    DATABASE_URL: database.url,
    DATA_DIR: database.folder,
    SANDBOX: 'off',
    PLATFORM_API_BASE_URL: sandbox.url,
    PLATFORM_API_KEY: 'crash-test-key',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
  });
const services = [processAt(await freePort()), processAt(await freePort())];
for (const service of services) await service.start();
const { api_key: apiKey } = credentialsIn(database.folder);

const problems = [];
const rounds = [];
const began = performance.now();
for (let i = 0; i < ROUNDS; i++) {
  const way = WAYS[i % WAYS.length];
  const round = {
    number: i,
    way,
    atOnce: Math.floor(i / WAYS.length) % 2 === 0 ? 50 : 1,
    kills: i % KILL_EVERY === KILL_EVERY - 1,
    act: ACTS[Math.floor(Math.random() * ACTS.length)],
  };
  const directory = new Departures(round, services, apiKey);
  await directory.prepare();
  await Promise.all([directory.leave(), round.kills && killed(services[i % 2])]);
  const found = await directory.problems();
  const after = found.length === 0 ? await directory.act() : [];
  problems.push(...[...found, ...after].map((text) => `round ${i} (${way}, ${round.atOnce} at once): ${text}`));
  rounds.push(directory);
  await directory.remove();
}

async function killed(service) {
  await sleep(20 + Math.random() * 200);
  await service.kill();
  await service.start();
}

// --- what the platform has heard ---------------------------------------------------------------------------------------
const last = rounds.at(-1);
const deadline = Date.now() + 120_000;
while ((await last.api('GET', '/platform')).body.waiting > 0) {
  if (Date.now() > deadline) throw new Error('not all was delivered');
  await sleep(200);
}
const db = new pg.Client({ connectionString: database.url });
await db.connect();
const { rows: told } = await db.query(`
  select u.key, count(c.seq) filter (where c.method = 'DELETE' or c.body like '%"status":"inactive"%')::int as leavings
  from (select distinct on (user_id) user_id, person ->> 'external_id' as key from changes order by user_id, sequence) u
  left join sandbox_platform.calls c on c.applied and substring(c.idempotency_key from 'usr_[0-9a-z]+') = u.user_id
  group by u.key`);
const { rows: accounts } = await db.query('select doc from sandbox_platform.users');
await db.end();
const leavings = new Map(told.map(({ key, leavings: n }) => [key, n]));
const status = new Map(accounts.map(({ doc }) => [doc.external_id, doc.status]));
for (const directory of rounds) {
  for (const { key, left, active } of directory.expected) {
    const n = leavings.get(key);
    if (n !== (left ? 1 : 0)) problems.push(`${directory.name}: the platform heard ${n} times that ${key} leaves`);
    if ((status.get(key) === 'active') !== active) problems.push(`${directory.name}: ${key} has another status there`);
  }
}
for (const service of services) await service.stop();
await sandbox.stop();
await database.server.stop();

console.log(`
  rounds                             ${ROUNDS} directories, ${new Set(rounds.map(({ way }) => way)).size} ways to leave
  kills (SIGKILL while users leave)  ${rounds.filter(({ kills }) => kills).length}
  users, of whom left                ${rounds.flatMap(({ expected }) => expected).length}, ${[...leavings.values()].filter((n) => n > 0).length}
  seconds                            ${Math.round((performance.now() - began) / 1000)}
  problems                           ${problems.length}`);
for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
