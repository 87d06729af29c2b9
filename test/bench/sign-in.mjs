// What a sign-in costs beside the bare libraries, and what sign-ins leave to others: `npm run bench -- sign-in` (two
// minutes). Both programs answer the same browsers and ask the same IdP; the CPU time of node and PostgreSQL counts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuOf, cpuOfServer } from './cpu.mjs';
import { latencies, median } from './load.mjs';
import { startProgram } from './peers.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';
import { Browsers } from './sign-in/browser.mjs';

const COUNT = Math.max(20, Math.round(400 * Number(process.env.BENCH_SCALE ?? 1)));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CONCURRENCY = 4;
const USERS = 200;
const PER_SECOND = 50;

const report = new Report();
const idp = await startIdp();
const stage = await startStage({ ALLOW_PRIVATE_DESTINATIONS: 'true' });
const { db, origin, service } = stage;
const postmaster = Number(
  readFileSync(path.join(stage.database.server.folder, 'postmaster.pid'), 'utf8').split('\n')[0],
);
const { tenant, directory, token, apiKey } = await newTenantOf(stage)('sign-in');
const ids = await seedUsers(db, tenant, directory, USERS, 'bench');
const bare = await startProgram('sign-in/bare.mjs', [JSON.stringify(idp.facts)]);
const programs = {
  bare: {
    pid: bare.pid,
    browsers: new Browsers(bare.url, idp.facts.issuer, {
      oidc: '/login/oidc',
      saml: '/login/saml',
      acs: '/callback/saml',
    }),
  },
  ours: { pid: service.pid, browsers: new Browsers(origin, idp.facts.issuer, await openConnections()) },
};
await db.query('vacuum analyze');

for (const [way, target] of [
  ['oidc', 0.35],
  ['saml', 0.55],
])
  await race(way, target);
await flood();
report.print();
for (const { browsers } of Object.values(programs)) await browsers.close();
await bare.stop();
await idp.stop();
await service.stop();
await stage.stop();

async function race(way, target) {
  const runs = { bare: [], ours: [] };
  for (const who of ['bare', 'ours']) await signIns(who, way, USERS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const who of round % 2 === 0 ? ['bare', 'ours'] : ['ours', 'bare']) runs[who].push(await measure(who, way));
  }
  const middle = (who, part) => median(runs[who].map((run) => run[part]));
  const cost = (who) => middle(who, 'node') + middle(who, 'postgres');
  const words = (who) => `${middle(who, 'node').toFixed(2)} + ${middle(who, 'postgres').toFixed(2)}`;
  const value = cost('bare') / cost('ours');
  report.add(
    `sign-in by ${way}, CPU`,
    value.toFixed(2),
    `≥ ${target}`,
    value >= target,
    `ms ${words('ours')} to ${words('bare')}`,
  );
}

async function measure(who, way) {
  const { pid } = programs[who];
  const before = { node: cpuOf(pid), postgres: cpuOfServer(postmaster) };
  await signIns(who, way, COUNT);
  const node = (cpuOf(pid) - before.node) / COUNT;
  return { node, postgres: who === 'bare' ? 0 : (cpuOfServer(postmaster) - before.postgres) / COUNT };
}

async function signIns(who, way, count) {
  const { browsers } = programs[who];
  let next = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let i = next++; i < count; i = next++) await browsers[way](`bench-${i % USERS}`);
    }),
  );
}

/** How long reads take, alone and while sign-ins come at a steady rate. */
async function flood() {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/scim+json' };
  const read = (i) => ({ method: 'GET', path: `/scim/v2/Users/${ids[i % USERS]}`, headers });
  const { browsers } = programs.ours;
  const tails = { alone: [], beside: [] };
  await latencies(origin, 2, 2_000, read);
  for (let round = 0; round < ROUNDS; round++) {
    tails.alone.push(tail(await latencies(origin, 2, 2_000, read)));
    let over = false;
    const flooding = (async () => {
      const open = [];
      for (let i = 0; !over; i++) {
        open.push(browsers[i % 2 === 0 ? 'oidc' : 'saml'](`bench-${i % USERS}`));
        await sleep(1000 / PER_SECOND);
      }
      await Promise.all(open);
    })();
    tails.beside.push(tail(await latencies(origin, 2, 2_000, read)));
    over = true;
    await flooding;
  }
  const [alone, beside] = [median(tails.alone), median(tails.beside)];
  report.atMost('99th percentile of a SCIM read alone, ms', alone, null, 1);
  report.atMost(`the same beside ${PER_SECOND} sign-ins a second, ms`, beside, null, 1);
}

function tail(times) {
  return times[Math.floor(times.length * 0.99)];
}

async function openConnections() {
  const common = { directory_id: directory, enabled: true };
  const oidc = await connection({
    ...common,
    type: 'oidc',
    name: 'OIDC',
    issuer: idp.facts.issuer,
    client_id: 'bench',
    client_secret: 'secret',
    user_info: 'never',
  });
  const saml = await connection({
    ...common,
    type: 'saml',
    name: 'SAML',
    idp_entity_id: `${idp.facts.issuer}/saml`,
    sso_url: `${idp.facts.issuer}/sso`,
    certificates: [idp.facts.certificate],
  });
  const login = (slug) => `/api/auth/login?connection=${slug}`;
  return { oidc: login(oidc), saml: login(saml), acs: `/api/auth/callback/${saml}` };
}

async function connection(body) {
  const answer = await fetch(`${origin}/api/v1/connections`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()).slug;
}

async function startIdp() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'sign-in/idp.mjs')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return {
    facts: JSON.parse(line),
    stop: async () => {
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
