// Mutated requests against the started service: no answer is a 5xx, no refused request changes anything, every list adds
// up. `npm run fuzz -- --seed 7 --count 100000`; the same seed makes the same requests, though not the same races.
import http from 'node:http';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { credentialsIn, freePort, freshDatabase, Service } from '../support/processes.mjs';
import { atsRequest } from './ats-requests.mjs';
import { digestOf, requestIdsIn } from './effects.mjs';
import { problemOfList, walks } from './lists.mjs';
import { mutated } from './mutate.mjs';
import { Random } from './random.mjs';
import { apiRequest, scimRequest } from './requests.mjs';

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100000' } },
});
const SEED = Number(values.seed);
const COUNT = Number(values.count);
/** Callers at the same time; one more is watched, alone at its tenant. */
const CALLERS = 6;
/** The part of all requests that is watched: each costs two looks at the database. */
const WATCHED = 0.08;
const MOST_RESOURCES = 80;
const SHOWN = 20;

const database = await freshDatabase('fuzz');
const port = await freePort();
const service = new Service({
  PORT: String(port),
  SANDBOX: 'off',
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  RATE_LIMIT: 'off',
  ALLOW_PRIVATE_DESTINATIONS: 'on',
  LOG_LEVEL: 'error',
  ATS_OAUTH_CLIENTS: 'lever:client:client-secret',
  ATS_SIMULATORS: 'lever=http://127.0.0.1:9',
});
const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS + 2 });
const statuses = new Map();
const problems = [];
const refused = new Set();
let sent = 0;
let lists = 0;

function send({ method, path: address, query = {}, headers, text }, token) {
  const search = new URLSearchParams(query).toString();
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method,
        path: address + (search === '' ? '' : `?${search}`),
        headers: {
          authorization: `Bearer ${token}`,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/scim+json', 'content-length': Buffer.byteLength(text) }),
          ...headers,
        },
      },
      (answer) => {
        const parts = [];
        answer.on('data', (part) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(parts) }),
        );
      },
    );
    request.on('error', reject);
    request.end(text);
  });
}

/** Sends a request; one that the client itself cannot write is none. A connection that was just closed is tried again. */
async function answerTo(request, token) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send(request, token);
    } catch (error) {
      if (error instanceof TypeError) return null;
      if (attempt === 3) {
        note(request, `no answer: ${error.code ?? error.message}`);
        return null;
      }
    }
  }
}

function note(request, what) {
  const problem = `${what}\n    ${JSON.stringify(request).slice(0, 700)}`;
  problems.push(problem);
  if (problems.length <= SHOWN) console.log(`- ${problem}`);
}

function bodyOf({ headers, bytes }, request) {
  const type = headers['content-type'] ?? '';
  if (!/[/+]json/.test(type) || bytes.length === 0 || headers['content-encoding'] !== undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    note(request, 'an answer that is no JSON');
    return undefined;
  }
}

/** Judges an answer, and remembers what it made. */
function judge(request, answer, known) {
  sent++;
  statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
  if (answer.status >= 500 && answer.status !== 501)
    note(request, `${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
  if (answer.status >= 400 && answer.headers['x-request-id']) refused.add(answer.headers['x-request-id']);
  // A path has no fields, and U+0000 is refused wherever it stands.
  if (answer.status === 422 && !request.path.includes('%00')) {
    const fields = fieldsIn(bodyOf(answer, request));
    if (fields !== null && !fields.every((field) => typeof field === 'string'))
      note(request, `422 without the name of the field: ${answer.bytes.toString().slice(0, 300)}`);
  }
  const body = request.method === 'HEAD' ? undefined : bodyOf(answer, request);
  if (answer.status === 200 && body !== undefined) {
    const problem = problemOfList(body);
    if (problem !== undefined) lists++;
    if (typeof problem === 'string') note(request, `a list that does not add up: ${problem}`);
  }
  if (answer.status === 201 && typeof body?.id === 'string') {
    const kind = KINDS[body.id.split('_')[0]];
    if (kind !== undefined) known[kind === 'users' && request.path.startsWith('/api') ? 'people' : kind].push(body.id);
  }
}

/** The fields that a problem of the API names; null: it is another refusal. */
function fieldsIn(body) {
  if (body?.code !== 'invalid_fields') return null;
  return Array.isArray(body.errors) && body.errors.length > 0 ? body.errors.map(({ field }) => field) : [null];
}

const KINDS = { grp: 'groups', usr: 'users', cand: 'candidates', int: 'interviews', ats: 'connections' };
const nothingKnown = () => ({ users: [], groups: [], people: [], candidates: [], interviews: [], connections: [] });

/** Keeps the tenant small: what is over the most is deleted as an honest client does it. */
async function prune(known, { scim }) {
  for (const [kind, type] of [
    ['users', 'Users'],
    ['groups', 'Groups'],
  ]) {
    while (known[kind].length > MOST_RESOURCES) {
      await answerTo({ method: 'DELETE', path: `/scim/v2/${type}/${known[kind].shift()}`, headers: {} }, scim);
    }
  }
  for (const kind of ['candidates', 'interviews'])
    known[kind].splice(0, Math.max(0, known[kind].length - MOST_RESOURCES));
  known.people.splice(0, Math.max(0, known.people.length - MOST_RESOURCES));
}

async function caller(number, count, tokens, watch) {
  const random = new Random(SEED * 1_000 + number);
  const known = { ...nothingKnown(), tokens: tokens.inbound };
  let before = watch === null ? null : await watch();
  for (let i = 0; i < count && problems.length < 200; i++) {
    const isScim = random.chance(0.55);
    const made = isScim ? scimRequest : random.chance(0.5) ? apiRequest : atsRequest;
    const plain = made(random, known, `${number}-${i}`);
    const request = mutated(random, plain);
    const answer = await answerTo(request, isScim ? tokens.scim : tokens.api);
    if (answer === null) continue;
    judge(request, answer, known);
    if (watch !== null) {
      const after = await watch();
      if (answer.status >= 400 && after !== before)
        note(request, `refused with ${answer.status}, and something changed`);
      before = after;
    }
    if (i % 50 === 49) {
      await prune(known, tokens);
      if (watch !== null) {
        for (const problem of await walks((request) => send(request, tokens.scim))) note({ walk: i }, problem);
        before = await watch();
      }
    }
  }
}

async function tenant(operator) {
  const call = async (method, address, body, token) =>
    JSON.parse(
      (
        await send(
          { method, path: address, headers: { 'content-type': 'application/json' }, text: JSON.stringify(body) },
          token,
        )
      ).bytes,
    );
  const made = await call('POST', '/api/v1/tenants', { name: 'Fuzz', api_key: { name: 'fuzz' } }, operator);
  const directory = await call('POST', '/api/v1/directories', { name: 'D', guard: 'off' }, made.api_key);
  const inbound = {};
  for (const provider of ['lever', 'greenhouse', 'ashby', 'zoho_recruit']) {
    inbound[provider] = (await call('POST', '/api/v1/ats-connections', { provider }, made.api_key)).api_token;
  }
  return { id: made.id, api: made.api_key, scim: directory.scim_token, inbound };
}

const began = performance.now();
let client;
let failed = true;
try {
  await service.start();
  const { operator_token: operator } = credentialsIn(database.folder);
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const watched = await tenant(operator);
  const alone = Math.round(COUNT * WATCHED);
  const each = Math.ceil((COUNT - alone) / CALLERS);
  const shared = await tenant(operator);
  const progress = setInterval(
    () => console.log(`  ${sent} of ${COUNT} requests, ${problems.length} problems`),
    30_000,
  );
  await Promise.all([
    caller(0, alone, watched, () => digestOf(client, watched.id)),
    ...Array.from({ length: CALLERS }, (_, i) => caller(i + 1, each, shared, null)),
  ]);
  clearInterval(progress);
  for (const id of await requestIdsIn(client)) {
    if (refused.has(id)) note({ request_id: id }, 'a refused request left a row');
  }
  failed = problems.length > 0;
} catch (error) {
  console.error(error, `\n${service.output.slice(-3_000)}`);
} finally {
  agent.destroy();
  await client?.end();
  if (service.child !== undefined && service.child.exitCode === null) await service.stop();
  else problems.push('the service ended during the run');
  await database.server.stop();
}
const byStatus = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`);
console.log(
  `seed ${SEED}, ${sent} requests in ${Math.round((performance.now() - began) / 1_000)} s; ${byStatus.join(', ')}`,
);
console.log(`${refused.size} refused, ${lists} lists, ${problems.length} problems`);
if (problems.length > 0) console.log(`  the log ends with:\n${service.output.slice(-1_500)}`);
process.exitCode = failed ? 1 : 0;
