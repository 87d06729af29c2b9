// The plan of a preview beside listing its users through SCIM: `npm run bench -- preview` (about three minutes).
import { memoryOf } from '../support/processes.mjs';
import { latencies, median } from './load.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const SMALL = Number(process.env.BENCH_USERS ?? 20_000);
const LARGE = SMALL * 10;
const CHUNK = 20_000;
const ROUNDS = 3;
const PAGE = 100;
/** The largest page that an IdP can ask for. */
const SCIM_PAGE = 1_000;

const report = new Report();
const stage = await startStage();
const { db, origin, service } = stage;
const newTenant = newTenantOf(stage);
const small = await preview('small', SMALL);
const large = await preview('large', LARGE);
await db.query('vacuum analyze');

await plan(small); // both roads are warm
await listed(small);
const times = { plan: [], list: [] };
for (let round = 0; round < ROUNDS; round++) {
  times.list.push(await listed(small));
  times.plan.push((await plan(small)).ms);
}
report.atMost(`plan of ${SMALL} users, to listing them through SCIM`, median(times.plan) / median(times.list), 2);
report.atMost(`plan of ${SMALL} users, ms`, median(times.plan), null, 0);

const pageOf = (path, credential) => () => ({
  method: 'GET',
  path,
  headers: { authorization: `Bearer ${credential}` },
});
await plan(large);
const ratios = { page: [], kind: [] };
for (let round = 0; round < ROUNDS; round++) {
  const page = async (path, credential) => median(await latencies(origin, 1, 200, pageOf(path, credential)));
  const users = await page(`/api/v1/users?limit=${PAGE}`, small.apiKey);
  ratios.page.push((await page(`${small.path}?limit=${PAGE}`, small.apiKey)) / users);
  ratios.kind.push((await page(`${large.path}?limit=${PAGE}&kind=create`, large.apiKey)) / users);
}
report.atMost(`page of the plan of ${SMALL}, to a page of users`, median(ratios.page), 1.5);
report.atMost(`page by kind of the plan of ${LARGE}, to a page of users`, median(ratios.kind), 1.5);

await service.stop();
await service.start();
await listed(small, 5);
const idle = memoryOf(service.pid).now;
const grown = {};
for (const one of [small, large]) grown[one.users] = (await plan(one)).memory - idle;
report.atMost(`memory over idle, plan of ${SMALL} users, MB`, grown[SMALL], 30, 0);
report.atMost(`memory over idle, plan of ${LARGE} users, MB`, grown[LARGE], 30, 0);
report.print();
await service.stop();
await stage.stop();

/** A directory in preview that has created users. */
async function preview(name, users) {
  const tenant = await newTenant(name);
  const path = `/api/v1/directories/${tenant.directory}`;
  await json(tenant.apiKey, 'PATCH', path, { state: 'preview' });
  for (let i = 0; i < users; i += CHUNK) {
    await seedUsers(db, tenant.tenant, tenant.directory, Math.min(CHUNK, users - i), `${name}${i}x`);
  }
  // As a directory in preview leaves them: never in force.
  await db.query(
    `update users set held = 'preview', held_since = now(), status = 'inactive', seat = 'none', ever_active = false,
       role = null where tenant_id = $1`,
    [tenant.tenant],
  );
  return { ...tenant, users, path: `${path}/preview` };
}

/** Makes the plan anew, and answers its time and the highest memory meanwhile. */
async function plan({ apiKey, path, users }) {
  const { id } = await json(apiKey, 'POST', `${path}/plan`);
  let memory = 0;
  for (;;) {
    memory = Math.max(memory, memoryOf(service.pid).now);
    const task = await json(apiKey, 'GET', `/api/v1/tasks/${id}`);
    if (task.state === 'done') {
      if (task.done !== users) throw new Error(`${task.done} of ${users} users`);
      return { ms: Date.parse(task.finished_at) - Date.parse(task.started_at), memory };
    }
    if (task.state === 'failed') throw new Error(task.error);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Lists the users of a directory through SCIM as an IdP does, and answers the milliseconds. */
async function listed({ token, users }, pages = Infinity) {
  const began = performance.now();
  let seen = 0;
  for (let cursor = '', page = 0; cursor !== undefined && page < pages; page++) {
    const answer = await json(token, 'GET', `/scim/v2/Users?count=${SCIM_PAGE}&cursor=${cursor}`);
    seen += answer.Resources.length;
    cursor = answer.nextCursor;
  }
  if (pages === Infinity && seen !== users) throw new Error(`${seen} of ${users} users`);
  return performance.now() - began;
}

async function json(credential, method, path, body) {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
