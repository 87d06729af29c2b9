// What pages of the console cost: a read with a session beside one with a key, a file beside a bare Node server, and in a tenant
// of 100 000 users the overview and searches beside a read by id, and a year of statistics beside reading its rows.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { Pool, request } from 'undici';
import { credentialsIn } from '../support/processes.mjs';
import { CONCURRENCY, ROUNDS, scaled } from './contenders.mjs';
import { latencies, load, median } from './load.mjs';
import { startProgram } from './peers.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const USERS = scaled(100_000);
const COUNT = 100;

const report = new Report();
const stage = await startStage();
const { db, origin, service, database } = stage;
const { tenant, directory, token, apiKey } = await newTenantOf(stage)('console');
const ids = await seedUsers(db, tenant, directory, USERS, 'console');
await db.query(
  `insert into delivery_hours (tenant_id, channel, destination, hour, accepted, confirmed, failed, parked, lags)
   select $1, 'platform', 'main', hour, 20, 18, 1, 0, '{0,1,4,8,3,1,1}'
   from generate_series('2025-01-01'::timestamptz, '2025-12-31T23:00Z', interval '1 hour') hour`,
  [tenant],
);
await db.query('vacuum analyze');

const key = { authorization: `Bearer ${apiKey}` };
const get = (pathOf, headers = key) => ({ method: 'GET', headers, pathOf });
const idOf = (i) => ids[(i * 7919) % USERS];
const byId = (i) => `/api/v1/users/${idOf(i)}`;
const session = { cookie: await consoleSession(), 'sec-fetch-site': 'same-origin' };
const rateOf = (at, one) => () => load(at, CONCURRENCY, scaled(4_000), requestOf(one));
await beside(
  'API read with a session, to one with a key',
  0.95,
  rateOf(origin, get(byId, session)),
  rateOf(origin, get(byId)),
);

const asset = await largestAsset();
const bare = await startProgram('asset-server.mjs', [asset.file, JSON.stringify(asset.headers)]);
await beside(
  `file of ${asset.bytes} bytes, to a bare Node server`,
  0.6,
  () => filesFrom(origin, asset.path),
  () => filesFrom(bare.url, asset.path),
);
await bare.stop();

const read = timed(get((i) => `/scim/v2/Users/${idOf(i)}`, { authorization: `Bearer ${token}` }));
const search = (textOf) => timed(get((i) => `/api/v1/search?q=${textOf((i * 7919) % USERS)}`));
await times('overview, to a read by id', 4, timed(get(() => '/api/v1/overview')), read);
await times(
  'search that finds one user, to a read by id',
  3,
  search((i) => `console-${i}@`),
  read,
);
await times(
  'search that finds all users, to a read by id',
  3,
  search(() => 'console'),
  read,
);
await times(
  'search that finds a thousand names, to a read by id',
  3,
  search((i) => `f${i % 100}`),
  read,
);
await times(
  'search without a hit, to a read by id',
  3,
  search((i) => `nothing-${i}`),
  read,
);
await times(
  'users by the same text, to a read by id',
  null,
  timed(get((i) => `/api/v1/users?q=f${idOf(i).slice(-5)}`)),
  read,
);

const reader = new pg.Pool({ connectionString: database.url, max: 1 });
const YEAR = `select hour, accepted, confirmed, failed, parked, lags from delivery_hours
  where tenant_id = $1 and channel = 'platform' and destination = 'main' order by hour`;
await times(
  'a year of statistics by day, to reading as many rows',
  2,
  timed(get(() => '/api/v1/changes/statistics?interval=day&from=2025-01-01&to=2026-01-01')),
  () => rowsRead(YEAR),
  10,
);
await reader.end();

const failed = report.print();
await service.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

function requestOf({ method, headers, pathOf }) {
  return (i) => ({ method, headers, path: pathOf(i) });
}

/** The median milliseconds of a number of requests, one after the other. */
function timed(one) {
  return async (count) => median(await latencies(origin, 1, count, requestOf(one)));
}

/** Files per second. What comes is counted and not read as text, which would cost more than serving it. */
async function filesFrom(at, path, count = scaled(4_000)) {
  const pool = new Pool(at, { connections: CONCURRENCY, pipelining: 1 });
  let next = 0;
  const began = performance.now();
  const client = async () => {
    while (next++ < count) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path,
        headers: { 'accept-encoding': 'br, gzip' },
      });
      let bytes = 0;
      for await (const chunk of body) bytes += chunk.length;
      if (statusCode !== 200 || bytes !== asset.bytes) throw new Error(`${statusCode}, ${bytes} bytes of ${path}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  await pool.close();
  return (count / (performance.now() - began)) * 1000;
}

async function rowsRead(text) {
  const taken = [];
  for (let i = 0; i < 10; i++) {
    const began = performance.now();
    await reader.query({ name: 'rows', text, values: [tenant] });
    taken.push(performance.now() - began);
  }
  return median(taken);
}

/** Rates in turns; the figure is the median of the ratios of neighbouring turns, after two rounds for V8. */
async function beside(name, target, one, other) {
  const pairs = await inTurns(one, other);
  const [ours, theirs] = [0, 1].map((k) => Math.round(median(pairs.map((pair) => pair[k]))));
  const ratio = median(pairs.map(([a, b]) => a / b));
  const floor = target === null ? '' : `≥ ${target}`;
  report.add(name, ratio.toFixed(2), floor, ratio >= (target ?? 0), `${ours}/s of ${theirs}/s`);
}

/** Times in turns, likewise. */
async function times(name, target, one, other, count = COUNT) {
  const pairs = await inTurns(
    () => one(count),
    () => other(count),
  );
  report.atMost(name, median(pairs.map(([a, b]) => a / b)), target);
}

async function inTurns(one, other) {
  const pairs = [];
  for (let round = 0; round < ROUNDS + 2; round++) {
    const pair = round % 2 === 0 ? [await one(), await other()] : [await other(), await one()].reverse();
    if (round >= 2) pairs.push(pair);
  }
  return pairs;
}

/** The cookie of a session of the console, opened by a link of the operator. */
async function consoleSession() {
  const operator = credentialsIn(database.folder).operator_token;
  const link = await posted(
    '/installation/console-links',
    { authorization: `Bearer ${operator}` },
    {
      role: 'admin',
      tenant_id: tenant,
      reason: 'bench',
    },
  );
  const { url } = JSON.parse(await link.body.text());
  const secret = new URL(url).hash.replace('#link=', '');
  const opened = await posted('/console/session', { 'sec-fetch-site': 'same-origin' }, { link: secret });
  await opened.body.dump();
  return [opened.headers['set-cookie']]
    .flat()
    .map((line) => line.split(';')[0])
    .join('; ');
}

/** Not `fetch`, which sends a `Sec-Fetch-Site` of its own. */
async function posted(at, headers, body) {
  const answer = await request(`${origin}/api/v1${at}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.statusCode >= 400) throw new Error(await answer.body.text());
  return answer;
}

/** The largest file that the document of the console names, as a browser gets it. */
async function largestAsset() {
  const document = await (await fetch(`${origin}/console`)).text();
  const names = new Set(document.match(/\/console\/[^"' ]+\.(?:js|css)/g));
  const found = [];
  for (const name of names) {
    const answer = await request(`${origin}${name}`, { headers: { 'accept-encoding': 'br, gzip' } });
    found.push({ path: name, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) });
  }
  const { path: at, headers, body } = found.reduce((a, b) => (b.body.length > a.body.length ? b : a));
  const place = path.join(database.folder, 'asset');
  writeFileSync(place, body);
  const kept = ['content-type', 'content-encoding', 'cache-control', 'etag'].filter((name) => name in headers);
  return {
    path: at,
    file: place,
    bytes: body.length,
    headers: Object.fromEntries(kept.map((name) => [name, headers[name]])),
  };
}
