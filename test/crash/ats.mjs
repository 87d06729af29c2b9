// The promise under test: the service is killed at any moment, and each candidate has in its ATS exactly one link, and
// exactly one note for each revision of its scorecard that was not replaced before it was written; and each event arrives.
// Every round plays a candidate's way against a Lever that runs, and kills the service at one of its numbered steps.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service } from '../support/processes.mjs';
import { simulators } from '../support/simulators.mjs';
import { Receiver } from './receiver.mjs';

const ROUNDS = Number(process.env.CRASH_ROUNDS ?? 27);
const STEPS = 9;
const WRITER = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';

const { startLever } = await simulators();
const database = await freshDatabase('crash-ats');
const port = await freePort();
const own = `http://127.0.0.1:${port}`;
const service = new Service({
  PORT: String(port),
  BASE_URL: own,
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'off',
  PLATFORM_FORWARDING: 'off',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
  ALLOW_PRIVATE_DESTINATIONS: 'true',
  WEBHOOK_RETRIES: Array(20).fill('1s').join(),
});
const lever = await startLever({ rateFactor: 1_000, timeFactor: 100 });
await service.start();
const { api_key: apiKey } = credentialsIn(database.folder);

let back = Promise.resolve();
const restarts = [];
async function kill() {
  let isBack;
  back = new Promise((resolve) => (isBack = resolve));
  await service.kill();
  restarts.push(Math.round(await service.start()));
  isBack();
}

/** Calls until there is an answer: the service may be killed at any moment. A POST with a key has one effect. */
async function call(method, path, body, key) {
  for (;;) {
    await back;
    try {
      const response = await fetch(`${own}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      const answer = { status: response.status, body: text === '' ? null : JSON.parse(text) };
      // The first request with this key was cut off by the kill; its answer or its end is waited for.
      if (answer.status !== 409 || answer.body.code !== 'request_in_progress') return answer;
    } catch (error) {
      if (!(error instanceof TypeError) && error.name !== 'TimeoutError') throw error;
    }
    await sleep(20);
  }
}
const demand = async (...request) => {
  const answer = await call(...request);
  if (answer.status >= 300) throw new Error(`${request.join(' ')}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};
async function until(ask, holds, what) {
  const deadline = Date.now() + 240_000;
  for (;;) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > deadline) {
      await tellState();
      throw new Error(`${what} never came true: ${JSON.stringify(value).slice(0, 500)}`);
    }
    await sleep(25);
  }
}

/** Prints what waits for what, for the one who reads a failure. */
async function tellState() {
  const paths = [`/ats-connections/${connection.id}`, `/ats-connections/${connection.id}/events?limit=5`];
  for (const path of paths) console.error(path, JSON.stringify((await call('GET', path)).body));
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const { rows } = await db.query(`select * from work_entries where tenant_id <> ''`);
  console.error('work', JSON.stringify(rows));
  await db.end();
  console.error('sent by the ATS', JSON.stringify(lever.sender.attempts.slice(-8)));
}

/** Calls back when the ATS gets a request that fits. */
const watched = [];
const { push } = lever.requests;
lever.requests.push = (...texts) => {
  for (const text of texts) for (const one of [...watched]) if (one.fits.test(text)) one.seen();
  return push.apply(lever.requests, texts);
};
function atLever(fits) {
  return new Promise((resolve) => {
    const one = { fits, seen: () => resolve(void watched.splice(watched.indexOf(one), 1)) };
    watched.push(one);
  });
}

const receiver = await new Receiver(0).start();
const hook = await demand('POST', '/webhooks', { url: receiver.url });
receiver.secret = hook.secret;
const posting = lever.add.posting({ text: 'Senior Backend Engineer' });
const connection = await demand('POST', '/ats-connections', {
  provider: 'lever',
  base_url: lever.url,
  credential: { kind: 'api_key', key: lever.apiKey },
  writes: { as_user: WRITER },
});
await until(
  () => call('GET', `/ats-connections/${connection.id}`),
  ({ body }) => body.webhook.made.includes('applicationCreated'),
  'the set-up',
);
await until(
  () => call('GET', `/jobs?external_id=lv_${posting.id}`),
  ({ body }) => body.data.length === 1,
  'the poll',
);

/** Kills a moment after something began. */
const soon = async (promise) => {
  await promise;
  await sleep(Math.random() * 12);
  await kill();
};

/** One candidate's way. `at`: the step at which the service is killed; `passed` resolves when it was. */
async function way(number, at) {
  let killed = Promise.resolve();
  const step = (n, begins = Promise.resolve()) => {
    if (n === at) killed = soon(begins);
  };
  step(1);
  const { id } = lever.add.opportunity({ name: `Ada Crash${number}`, posting: posting.id, silent: true });
  step(2);
  lever.tell('applicationCreated', { opportunityId: id });
  const [candidate] = (
    await until(
      () => call('GET', `/candidates?external_id=lv_${id}`),
      ({ body }) => body.data.length === 1,
      'a candidate',
    )
  ).body.data;
  step(3);
  const from = Date.now() + 86_400_000;
  const times = { starts_at: new Date(from).toISOString(), ends_at: new Date(from + 3_600_000).toISOString() };
  step(4, at === 4 ? atLever(new RegExp(`^POST .*${id}/addLinks`)) : undefined);
  const interview = await demand(
    'POST',
    `/candidates/${candidate.id}/interviews`,
    { ...times, time_zone: 'UTC' },
    `int-${number}`,
  );
  if (at > 4)
    await until(
      async () => lever.linksOf(id),
      (links) => links.length > 0,
      'a link',
    );
  const put = (overall) =>
    demand('PUT', `/interviews/${interview.id}/scorecard`, {
      overall,
      recommendation: 'advance',
      summary: 'Solid.',
      criteria: [],
      link: null,
    });
  step(5);
  step(6, at === 6 ? atLever(new RegExp(`^POST .*${id}/notes`)) : undefined);
  await put(3);
  if (at > 6)
    await until(
      async () => lever.notesOf(id),
      (notes) => notes.length > 0,
      'a note',
    );
  step(7);
  step(8, at === 8 ? atLever(new RegExp(`^POST .*${id}/notes`)) : undefined);
  await put(4);
  if (at === 9) {
    const before = receiver.taken.length;
    step(
      9,
      until(
        async () => receiver.taken.length,
        (now) => now > before,
        'an event',
      ),
    );
  }
  await killed;
  return { number, id, interview };
}

const ways = [];
for (let round = 0; round < ROUNDS; round++) ways.push(await way(round, (round % STEPS) + 1));
console.log(`${restarts.length} kills; waiting for the last writes and events …`);

// --- what must hold ---------------------------------------------------------------------------------------------------
const problems = [...receiver.problems];
const check = (holds, text) => holds || problems.push(text);
await until(
  async () => (await demand('GET', `/ats-connections/${connection.id}`)).waiting,
  ({ events, writes }) => events === 0 && writes === 0,
  'the last write',
);
const completed = (interview) =>
  receiver.taken.filter(({ event, record }) => event === 'interview.completed' && record === interview.id);
await until(async () => ways.every(({ interview }) => completed(interview).length === 2), Boolean, 'the last event');
for (const { number, id, interview } of ways) {
  const links = lever.linksOf(id).filter((link) => link === interview.meeting_url);
  check(links.length === 1, `${number}: ${links.length} links`);
  const notes = lever.notesOf(id).map(({ value }) => value);
  const second = notes.filter((value) => /replaces revision 1/i.test(value)).length;
  // A first revision that was replaced before it was written is written by none.
  check(second === 1 || (second === 0 && notes.length === 1), `${number}: ${second} notes of revision 2`);
  check(notes.length - second <= 1, `${number}: ${notes.length - second} notes of revision 1`);
  check(
    notes.some((value) => value.includes('4')),
    `${number}: the newest revision is not there`,
  );
  for (const event of ['candidate.created', 'interview.scheduled']) {
    const record = event === 'candidate.created' ? interview.candidate_id : interview.id;
    const count = receiver.taken.filter((one) => one.event === event && one.record === record).length;
    check(count === 1, `${number}: ${count} × ${event}`);
  }
}
const code = await service.stop();
check(code === 0, `the service ended with ${code}`);
receiver.stop();
await lever.close();
await database.server.stop();

console.log(`
  rounds                             ${ROUNDS}
  kills (SIGKILL at numbered steps)  ${restarts.length}
  notes in the ATS                   ${ways.reduce((sum, { id }) => sum + lever.notesOf(id).length, 0)}
  links in the ATS                   ${ways.reduce((sum, { id }) => sum + lever.linksOf(id).length, 0)}
  events received                    ${receiver.taken.length}
  problems                           ${problems.length}`);
for (const problem of problems.slice(0, 20)) console.log(`  - ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
