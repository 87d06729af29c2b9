// What an ATS costs: webhooks stored and answered, a pass over many candidates, events applied, and what a pass costs SCIM.
// On a PostgreSQL with its default settings, beside programs that do the least. `BENCH_SCALE` scales the counts.
import { createHmac } from 'node:crypto';
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Pool } from 'undici';
import { NODE_FLAGS } from '../../scripts/node-flags.mjs';
import { memoryOf, Service } from '../support/processes.mjs';
import { userBody } from './bodies.mjs';
import { scaled } from './contenders.mjs';
import { load, median } from './load.mjs';
import { Report } from './report.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** `BENCH_PARTS=inbound,pass,apply,scim` runs these parts alone. */
const PARTS = process.env.BENCH_PARTS?.split(',');
const wanted = (part) => PARTS === undefined || PARTS.includes(part);
const SECRET = 'gh-bench-secret';
const TOKEN = 'whk_7d1f0c3e9b5a4826aa58c60b1e94f3d2';
const CANDIDATES = scaled(10_000);

/** The service without the paces of ATSs, with the flags that it is started with. */
class PacelessService extends Service {
  async start() {
    this.child = spawn(process.execPath, [...NODE_FLAGS, path.join(import.meta.dirname, 'ats-service.mjs')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_OPTIONS: '', ...this.env },
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.on('data', (chunk) => (this.output = (this.output + chunk).slice(-20_000)));
    }
    this.ended = once(this.child, 'exit');
    await this.answers();
  }
}

async function peer(...args) {
  const child = fork(path.join(import.meta.dirname, 'ats-peers.mjs'), args);
  const [said] = await once(child, 'message');
  return { ...said, stop: () => child.kill() };
}

const report = new Report();
const stage = await startStage({ ALLOW_PRIVATE_DESTINATIONS: 'true', LOG_LEVEL: 'error', PLATFORM_FORWARDING: 'off' });
const { db, origin } = stage;
const newTenant = newTenantOf(stage);
await stage.service.stop();
const service = new PacelessService(stage.service.env);
await service.start();

const api = async ({ apiKey }, method, target, body) => {
  const response = await fetch(`${origin}/api/v1${target}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${target}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
};
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (began) => (performance.now() - began) / 1_000;

/** A signed event of Greenhouse about a candidate of its own. */
function eventOf(tag, i) {
  const id = Number(`${tag}${String(i).padStart(6, '0')}`);
  const candidate = {
    id,
    first_name: 'Given',
    last_name: `Family${i}`,
    title: 'Backend Engineer',
    email_addresses: [{ value: `candidate${id}@example.com`, type: 'personal' }],
    phone_numbers: [{ value: '+1 202-555-0142', type: 'mobile' }],
  };
  const application = {
    id: id * 10,
    prospect: false,
    status: 'active',
    applied_at: '2026-02-27T10:12:01Z',
    last_activity_at: '2026-03-02T09:15:28Z',
    source: { id: 2, name: 'Jobs page on your website' },
    current_stage: { id: 767358, name: 'AI Interview', interviews: [] },
    custom_fields: {},
    candidate,
    jobs: [
      {
        id: 4410275,
        name: 'Senior Backend Engineer',
        status: 'open',
        opened_at: '2026-02-03T09:00:00Z',
        closed_at: null,
      },
    ],
  };
  const body = JSON.stringify({ action: 'new_candidate_application', payload: { application } });
  return {
    method: 'POST',
    path: `/api/webhooks/greenhouse?api_token=${TOKEN}`,
    headers: {
      'content-type': 'application/json',
      'greenhouse-event-id': `event-${tag}-${i}`,
      signature: `sha256 ${createHmac('sha256', SECRET).update(body).digest('hex')}`,
    },
    body,
  };
}

const applied = async (tenant, { id }) => {
  for (;;) {
    const { rows } = await db.query(
      `select exists (select 1 from ats_open_events where tenant_id = $1 and connection_id = $2 and not failed) as busy`,
      [tenant.tenant, id],
    );
    if (!rows[0].busy) return;
    await sleep(20);
  }
};

/** The leanest pass: the same pages, one statement for the rows of each. */
async function leanPass({ url, apiKey }) {
  const pool = new Pool(new URL(url).origin, { connections: 1 });
  const authorization = `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`;
  const began = performance.now();
  let next = null;
  let count = 0;
  do {
    const query = new URLSearchParams({ limit: '100', ...(next === null ? {} : { offset: next }) });
    for (const name of ['applications', 'stage', 'sourcedBy']) query.append('expand', name);
    const { body } = await pool.request({
      method: 'GET',
      path: `/v1/opportunities?${query}`,
      headers: { authorization },
    });
    const page = await body.json();
    const of = (pick) => page.data.map(pick);
    await db.query({
      name: 'lean-pass',
      text: `insert into lean_candidates (tenant, external_id, name, email, stage, updated_at)
        select $1, * from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
        on conflict (tenant, external_id) do update set name = excluded.name, email = excluded.email,
          stage = excluded.stage, updated_at = excluded.updated_at`,
      values: [
        'lean',
        of(({ id }) => `lv_${id}`),
        of(({ name }) => name),
        of(({ emails }) => emails[0]),
        of(({ stage: at }) => at?.id ?? at),
        of(({ updatedAt }) => updatedAt),
      ],
    });
    count += page.data.length;
    next = page.hasNext ? page.next : null;
  } while (next !== null);
  await pool.close();
  return { count, seconds: seconds(began) };
}

let loopRate = null;
const lever = wanted('pass') || wanted('apply') || wanted('scim') ? await peer('lever', String(CANDIDATES)) : null;
if (lever !== null) {
  await db.query(`create table lean_candidates (tenant text, external_id text, name text, email text, stage text,
    updated_at bigint, primary key (tenant, external_id))`);
  const runs = [];
  for (let round = 0; round < ROUNDS; round++) {
    await db.query('truncate lean_candidates');
    const { count, seconds: took } = await leanPass(lever);
    runs.push(count / took);
  }
  loopRate = median(runs);
}

/** Connects to the simulator. @returns the seconds of its first pass */
async function pass(tenant) {
  const began = performance.now();
  const connection = await api(tenant, 'POST', '/ats-connections', {
    provider: 'lever',
    base_url: lever.url,
    credential: { kind: 'api_key', key: lever.apiKey },
    takes: { postings: 'all', candidates: 'all' },
  });
  // Asked of the database: requests would be further work of the service.
  for (;;) {
    const { rows } = await db.query(
      `select exists (select 1 from ats_runs where tenant_id = $1 and connection_id = $2 and state = 'done') as done`,
      [tenant.tenant, connection.id],
    );
    if (rows[0].done) break;
    await sleep(10);
  }
  return { connection, seconds: seconds(began) };
}

if (wanted('inbound')) {
  const bare = await peer('bare', stage.database.url);
  const tenant = await newTenant('inbound');
  const connection = await api(tenant, 'POST', '/ats-connections', {
    provider: 'greenhouse',
    api_token: TOKEN,
    signing_secret: SECRET,
  });
  const at = `/ats-connections/${connection.id}`;
  await api(tenant, 'POST', `${at}/pause`);
  const count = scaled(4_000);
  const [theirs, ours] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    theirs.push(await load(bare.url, 16, count, (i) => eventOf(`1${round}`, i)));
    ours.push(await load(origin, 16, count, (i) => eventOf(`2${round}`, i)));
  }
  report.ratio('webhook stored and answered, to a bare server', median(ours), median(theirs), 0.4);
  bare.stop();

  const [empty, full] = [[], []];
  await api(tenant, 'POST', `${at}/resume`);
  await applied(tenant, connection);
  await api(tenant, 'POST', `${at}/pause`);
  empty.push(await load(origin, 16, scaled(2_000), (i) => eventOf('31', i)));
  await load(origin, 16, scaled(10_000), (i) => eventOf('32', i));
  full.push(await load(origin, 16, scaled(2_000), (i) => eventOf('33', i)));
  report.ratio('the same while 10 000 wait, to itself', median(full), median(empty), 0.9);

  if (loopRate !== null) {
    const before = memoryOf(service.pid).now;
    const { rows } = await db.query(
      `select count(*)::int as n from ats_open_events where tenant_id = $1 and not failed`,
      [tenant.tenant],
    );
    const began = performance.now();
    await api(tenant, 'POST', `${at}/resume`);
    await applied(tenant, connection);
    report.ratio('events applied, to the rows of a lean pass', rows[0].n / seconds(began), loopRate, 0.25);
    report.atMost('memory over idle while they are applied, MiB', memoryOf(service.pid).now - before, 60, 0);
  }
}

if (wanted('pass')) {
  const runs = [];
  let grown = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const tenant = await newTenant(`pass ${round}`);
    const before = memoryOf(service.pid).now;
    const { connection, seconds: took } = await pass(tenant);
    grown = Math.max(grown, memoryOf(service.pid).now - before);
    runs.push(took);
    await api(tenant, 'POST', `/ats-connections/${connection.id}/pause`);
  }
  report.atMost('a first pass over the candidates, to a lean pass', median(runs) / (CANDIDATES / loopRate), 1.5);
  report.atMost('memory over idle after it, MiB', grown, 60, 0);
}

if (wanted('scim')) {
  const [alone, beside] = [[], []];
  const creates = async (tenant, tag) =>
    load(origin, 8, scaled(6_000), (i) => ({
      method: 'POST',
      path: '/scim/v2/Users',
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/scim+json' },
      body: userBody(tag, i),
    }));
  for (let round = 0; round < ROUNDS; round++) {
    const tenant = await newTenant(`scim ${round}`);
    alone.push(await creates(tenant, `alone${round}`));
    const running = pass(await newTenant(`full ${round}`));
    beside.push(await creates(tenant, `beside${round}`));
    await running;
  }
  report.ratio('SCIM create while a full pass runs, to itself', median(beside), median(alone), 0.9);
}

const failed = report.print();
lever?.stop();
await service.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);
