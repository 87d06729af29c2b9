// What webhooks cost, beside a plain loop that posts the same signed bodies and stores nothing, on a PostgreSQL with its
// default settings. `BENCH_SCALE` scales the counts.
import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { memoryOf } from '../support/processes.mjs';
import { userBody } from './bodies.mjs';
import { scaled } from './contenders.mjs';
import { latencies, load, median } from './load.mjs';
import { startSink } from './peers.mjs';
import { Report } from './report.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
/** `BENCH_PARTS=throughput,latency,hanging,writes,waiting` runs these parts alone. */
const PARTS = process.env.BENCH_PARTS?.split(',');
const wanted = (part) => PARTS === undefined || PARTS.includes(part);

const report = new Report();
const stage = await startStage({ ALLOW_PRIVATE_DESTINATIONS: 'true', LOG_LEVEL: 'error' });
const { db, service, origin } = stage;
const newTenant = newTenantOf(stage);

const api = async (apiKey, method, path, body) => {
  const response = await fetch(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
};
const endpoint = (tenant, url, more = {}) => api(tenant.apiKey, 'POST', '/webhooks', { url: `${url}/hook`, ...more });
const candidateOf = (tag, i) =>
  JSON.stringify({
    first_name: 'Candidate',
    last_name: `${i}`,
    email: `${tag}-${i}@example.com`,
    external_id: `gh_${tag}_${i}`,
    metadata: { ats: 'greenhouse', job_opening_id: '4711', ats_priority: 'high' },
  });
const createOf = (tenant, tag) => {
  const headers = { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' };
  return (i) => ({ method: 'POST', path: '/v1/candidates', headers, body: candidateOf(tag, i) });
};
const waiting = async (tenant) =>
  (await db.query(`select count(*)::int as n from lanes where tenant_id = $1 and channel = 'webhook'`, [tenant.tenant]))
    .rows[0].n;
/** Asks as little as it can: a count of what waits would cost more than a delivery. */
const drained = async (tenant) => {
  for (;;) {
    const { rows } = await db.query(
      `select exists (select 1 from lanes where tenant_id = $1 and channel = 'webhook' and first_pending is not null
         and parked_reason is null) as busy`,
      [tenant.tenant],
    );
    if (!rows[0].busy) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
};

/** Lets everything that waits go out, and answers messages per second. */
async function sendAll(tenant, endpoints) {
  const count = await waiting(tenant);
  const began = performance.now();
  for (const { id } of endpoints) {
    await db.query(
      `update destinations set state = 'ok', state_reason = null, version = version + 1
       where tenant_id = $1 and channel = 'webhook' and id = $2`,
      [tenant.tenant, id],
    );
  }
  await drained(tenant);
  return count / ((performance.now() - began) / 1000);
}
const pause = (tenant, { id }) => api(tenant.apiKey, 'POST', `/webhooks/${id}/pause`);

const sink = await startSink();

if (wanted('throughput')) {
  const tenant = await newTenant('throughput');
  const target = await endpoint(tenant, sink.url, { events: ['candidate.created'] });
  const count = scaled(12_000);
  const secret = randomBytes(32);
  const body = JSON.stringify({
    event: 'candidate.created',
    timestamp: new Date().toISOString(),
    data: {
      id: 'cand_01k0000000abcdefghjkmnpqrs',
      ...JSON.parse(candidateOf('loop', 1)),
      job_title: null,
      sequence: 1,
    },
  });
  const [loop, ours] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    await pause(tenant, target);
    await load(origin, 16, count, createOf(tenant, `t${round}`));
    loop.push(
      await load(sink.url, 8, count, (i) => {
        const time = String(Math.floor(Date.now() / 1000));
        const signature = createHmac('sha256', secret).update(`evt_${i}.${time}.${body}`).digest('base64');
        return {
          method: 'POST',
          path: '/hook',
          headers: {
            'content-type': 'application/json',
            'webhook-id': `evt_${i}`,
            'webhook-timestamp': time,
            'webhook-signature': `v1,${signature}`,
          },
          body,
        };
      }),
    );
    ours.push(await sendAll(tenant, [target]));
  }
  report.ratio('events delivered, to a loop that only posts', median(ours), median(loop), 0.35);
}

if (wanted('latency')) {
  const tenant = await newTenant('latency');
  const received = new Map();
  const server = http.createServer((req, res) => {
    let text = '';
    req.on('data', (chunk) => (text += chunk));
    req.on('end', () => {
      received.get(JSON.parse(text).data?.external_id)?.(performance.now());
      res.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  await endpoint(tenant, url, { events: ['candidate.created'] });
  const plain = await latencies(url, 1, scaled(400), () => ({
    method: 'POST',
    path: '/hook',
    body: JSON.stringify({ data: {} }),
  }));
  const took = [];
  const create = createOf(tenant, 'l');
  for (let i = 0; i < scaled(300); i++) {
    const arrived = new Promise((resolve) => received.set(`gh_l_${i}`, resolve));
    await api(tenant.apiKey, 'POST', '/candidates', JSON.parse(create(i).body));
    const enqueued = performance.now();
    took.push(Math.max(0, (await arrived) - enqueued));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  took.sort((a, b) => a - b);
  const at = (values, share) => values[Math.floor(values.length * share)];
  report.atMost('idle, answer to receipt p50, to one plain POST', at(took, 0.5) / at(plain, 0.5), 20, 1);
  report.atMost('idle, answer to receipt p99, to one plain POST', at(took, 0.99) / at(plain, 0.5), 100, 1);
  server.closeAllConnections();
  server.close();
}

if (wanted('hanging')) {
  const hanging = await startSink();
  hanging.mode('hang');
  const rates = { all: [], one: [] };
  const count = scaled(400);
  for (let round = 0; round < ROUNDS; round++) {
    for (const kind of ['all', 'one']) {
      const tenants = [await newTenant(`${kind}${round}a`), await newTenant(`${kind}${round}b`)];
      const endpoints = await Promise.all(
        tenants.map(async (tenant, t) => {
          const made = [];
          for (let n = 0; n < 50; n++) {
            const hangs = kind === 'one' && t === 0 && n === 0;
            made.push(await endpoint(tenant, hangs ? hanging.url : sink.url, { events: ['candidate.created'] }));
          }
          for (const one of made) await pause(tenant, one);
          await load(origin, 8, Math.round(count / 10), createOf(tenant, `h${kind}${round}${t}`));
          return made;
        }),
      );
      const good = kind === 'one' ? 99 : 100;
      const before = await sink.count();
      const expected = good * Math.round(count / 10);
      const began = performance.now();
      for (const [t, tenant] of tenants.entries()) {
        await db.query(
          `update destinations set state = 'ok', state_reason = null, version = version + 1
           where tenant_id = $1 and channel = 'webhook' and id = any($2)`,
          [tenant.tenant, endpoints[t].map(({ id }) => id)],
        );
      }
      while ((await sink.count()) - before < expected) await new Promise((resolve) => setTimeout(resolve, 10));
      rates[kind].push(expected / ((performance.now() - began) / 1000));
      if (kind === 'one') await api(tenants[0].apiKey, 'DELETE', `/webhooks/${endpoints[0][0].id}`);
    }
  }
  report.ratio('99 good endpoints beside one that hangs, to 100 good ones', median(rates.one), median(rates.all), 0.95);
  await hanging.stop();
}

if (wanted('writes')) {
  const [none, one, two] = [await newTenant('none'), await newTenant('one'), await newTenant('two')];
  for (const tenant of [one, two, two]) {
    // Paused: what is measured is the write, and not the sending beside it.
    await pause(tenant, await endpoint(tenant, sink.url));
  }
  const count = scaled(2_000);
  const rates = { candidates: { none: [], two: [] }, users: { none: [], one: [] } };
  const usersOf = (tenant, tag) => {
    const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/scim+json' };
    return (i) => ({ method: 'POST', path: '/scim/v2/Users', headers, body: userBody(tag, i) });
  };
  for (let round = 0; round < ROUNDS + 1; round++) {
    const pairs = { none: () => createOf(none, `n${round}`), two: () => createOf(two, `w${round}`) };
    for (const [who, make] of Object.entries(pairs)) rates.candidates[who].push(await load(origin, 16, count, make()));
    const users = { none: () => usersOf(none, `un${round}`), one: () => usersOf(one, `uo${round}`) };
    for (const [who, make] of Object.entries(users)) rates.users[who].push(await load(origin, 16, count, make()));
  }
  const warm = (values) => median(values.slice(1));
  const { candidates, users } = rates;
  report.ratio('candidate create with two endpoints, to none', warm(candidates.two), warm(candidates.none), 0.85);
  report.ratio('user create with one endpoint, to none', warm(users.one), warm(users.none), 0.9);
}

if (wanted('waiting')) {
  const tenant = await newTenant('waiting');
  const target = await endpoint(tenant, sink.url);
  await pause(tenant, target);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const before = memoryOf(service.pid).now;
  const many = scaled(100_000);
  await db.query(
    `with e as (
       insert into events (tenant_id, event, record, data)
       select $1, 'candidate.created', 'cand_' || i, json_build_object('id', 'cand_' || i, 'sequence', 1)
       from generate_series(1, ${many}) i returning sequence, at
     )
     insert into lanes (tenant_id, channel, destination, subject, state, target_state, target_body, rank, first_pending,
       last_pending, pending_since)
     select $1, 'webhook', $2, 'evt_' || lpad(sequence::text, 16, '0'), 'due', 'active', '', 1, sequence, sequence, at from e`,
    [tenant.tenant, target.id],
  );
  const rate = await sendAll(tenant, [target]);
  const { now, peak } = memoryOf(service.pid);
  console.log(
    `  ${many} waiting messages went out at ${Math.round(rate)}/s; memory ${before} -> ${now} MiB, peak ${peak}`,
  );
  report.atMost('memory for 100 000 waiting messages, MiB over idle', now - before, 60, 0);
}

const failed = report.print();
await service.stop();
await sink.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);
