// The promise under test: each committed event arrives at each endpoint that takes it, and none without a commit; what
// arrives twice has the same id and the same bytes; where an endpoint asks for order, the events of a record arrive in
// order; and the sequences of a record have no gap. 200 candidates change while the service is killed again and again,
// and the receivers fail a tenth of the requests, before or after they took the message.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service } from '../support/processes.mjs';
import { Receiver } from './receiver.mjs';
import { upheaval } from './upheaval.mjs';

const CANDIDATES = Number(process.env.CRASH_CANDIDATES ?? 200);
const KILLS = Number(process.env.CRASH_KILLS ?? 25);
const FAULTS = Number(process.env.CRASH_FAULTS ?? 0.1);
const WRITERS = 12;
const NAMES = ['candidate.created', 'candidate.updated', 'candidate.deleted'];

const database = await freshDatabase('crash-webhooks');
const port = await freePort();
const service = new Service({
  PORT: String(port),
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'off',
  PLATFORM_FORWARDING: 'off',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
  ALLOW_PRIVATE_DESTINATIONS: 'true',
  WEBHOOK_RETRIES: Array(20).fill('1s').join(),
});
await service.start();
const { api_key: apiKey } = credentialsIn(database.folder);
const api = `http://127.0.0.1:${port}/api/v1`;

const call = async (method, path, body) => {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
};
const demand = async (status, ...request) => {
  const answer = await call(...request);
  if (answer.status !== status)
    throw new Error(`${request.join(' ')}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

const [loose, ordered] = [await new Receiver(FAULTS).start(), await new Receiver(FAULTS).start()];
for (const receiver of [loose, ordered]) {
  const made = await demand(201, 'POST', '/webhooks', {
    url: receiver.url,
    events: NAMES,
    ordered: receiver === ordered,
  });
  receiver.secret = made.secret;
}

/** One candidate: what was acknowledged last, and the next change. */
class Candidate {
  version = 0;
  id = null;

  constructor(number) {
    this.externalId = `crash-${number}`;
  }

  async change() {
    const version = this.version + 1;
    const fields = { first_name: `V${version}`, last_name: 'Crash', email: `${this.externalId}@example.com` };
    if (this.id !== null && Math.random() < 0.05) {
      await this.expect([204, 404], await call('DELETE', `/candidates/${this.id}`));
      this.id = null;
      return;
    }
    const { body } = this.expect(
      [200, 201],
      await call('PUT', `/candidates/by-external-id/${this.externalId}`, fields),
    );
    this.id = body.id;
    this.version = version;
  }

  async lookUp() {
    const { body } = this.expect([200], await call('GET', `/resolve?type=candidate&external_id=${this.externalId}`));
    this.id = body.id;
    if (this.id === null) return;
    const { body: now } = this.expect([200], await call('GET', `/candidates/${this.id}`));
    this.version = Number(now.first_name.slice(1));
  }

  expect(statuses, answer) {
    if (!statuses.includes(answer.status)) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  }
}

const candidates = Array.from({ length: CANDIDATES }, (_, i) => new Candidate(i));
const counts = await upheaval(service, candidates, { writers: WRITERS, kills: KILLS, pauseMs: 4 });
console.log(`${counts.kills} kills; waiting for the last deliveries …`);

const db = new pg.Client({ connectionString: database.url });
await db.connect();
const deadline = Date.now() + 180_000;
for (;;) {
  const { rows } = await db.query(`select count(*)::int as n from lanes where channel = 'webhook'`);
  if (rows[0].n === 0) break;
  if (Date.now() > deadline) throw new Error(`${rows[0].n} messages were not delivered`);
  await sleep(100);
}

// --- what must hold ---------------------------------------------------------------------------------------------------
const problems = [...loose.problems, ...ordered.problems];
const check = (holds, text) => holds || problems.push(text);

const { rows: committed } = await db.query(
  `select 'evt_' || lpad(sequence::text, 16, '0') as id, event, record from events where event = any($1) order by sequence`,
  [NAMES],
);
const { rows: givenUp } = await db.query('select count(*)::int as n from webhook_given_up');
check(givenUp[0].n === 0, `${givenUp[0].n} messages were given up`);
for (const [name, receiver] of Object.entries({ loose, ordered })) {
  for (const { id, event } of committed) check(receiver.byId.has(id), `${name}: ${event} ${id} did not arrive`);
  const known = new Set(committed.map(({ id }) => id));
  for (const id of receiver.byId.keys()) check(known.has(id), `${name}: ${id} was never committed`);
}
const sequences = new Map();
for (const { record, sequence, id } of ordered.taken) {
  const last = sequences.get(record) ?? 0;
  check(sequence === last + 1, `ordered: ${id} is number ${sequence} of ${record}, after ${last}`);
  sequences.set(record, sequence);
}
const perRecord = new Map();
for (const { record, sequence } of loose.taken) {
  perRecord.set(record, [...(perRecord.get(record) ?? []), sequence]);
}
for (const [record, numbers] of perRecord) {
  const sorted = numbers.sort((a, b) => a - b);
  check(
    sorted.every((n, i) => n === i + 1),
    `${record} has a gap in ${sorted.join()}`,
  );
}
for (const candidate of candidates) {
  if (candidate.id === null) continue;
  const stored = await call('GET', `/candidates/${candidate.id}`);
  const last = ordered.taken.findLast(({ record }) => record === candidate.id);
  check(stored.status === 200, `${candidate.externalId} was acknowledged and is not there`);
  check(
    last?.data.first_name === stored.body?.first_name,
    `the last event of ${candidate.externalId} is not its state`,
  );
}

await db.end();
const code = await service.stop();
check(code === 0, `the service ended with ${code}`);
loose.stop();
ordered.stop();
await database.server.stop();

const twice = (receiver) => [...receiver.byId.values()].filter(({ count }) => count > 1).length;
console.log(`
  candidates                         ${CANDIDATES}
  kills (SIGKILL at random moments)  ${counts.kills}
  changes acknowledged               ${counts.acknowledged}
  answers lost with the process      ${counts.lostAnswers}
  events committed                   ${committed.length}
  arrived, without and with order    ${loose.byId.size} and ${ordered.byId.size}, in ${loose.requests + ordered.requests} requests
  taken more than once, same id      ${twice(loose)} and ${twice(ordered)}
  problems                           ${problems.length}`);
for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
process.exit(problems.length === 0 ? 0 : 1);
