// A tenant of a million users beside one of ten thousand, in one database: `npm run bench -- million` (about five minutes).
// Then the upgrade: the indexes that migrations build, made anew while users are written.
import { groupBody, patchBody, userBody } from './bodies.mjs';
import { latencies, median } from './load.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const LARGE = Number(process.env.BENCH_USERS ?? 1_000_000);
const SMALL = 10_000;
const CHUNK = 50_000;
const COUNT = 300;
const ROUNDS = 5;

const report = new Report();
const stage = await startStage();
const { db, origin, service } = stage;
const newTenant = newTenantOf(stage);
const sides = {};
for (const [side, users] of [
  ['small', SMALL],
  ['large', LARGE],
]) {
  const tenant = await newTenant(side);
  const ids = [];
  const began = performance.now();
  for (let i = 0; i < users; i += CHUNK) {
    ids.push(...(await seedUsers(db, tenant.tenant, tenant.directory, Math.min(CHUNK, users - i), `${side}${i}x`)));
  }
  console.log(`${users} users seeded in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  const headers = { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/scim+json' };
  const group = await json(headers, 'POST', '/Groups', groupBody('all', []));
  await db.query(
    `insert into group_members (tenant_id, group_id, member_id, kind) select $1, $2, id, 'User' from users where tenant_id = $1`,
    [tenant.tenant, group.id],
  );
  sides[side] = { headers, ids: ids.sort(), group: group.id, tag: `${side}0x`, made: 0 };
}
await db.query('vacuum analyze');

for (const one of Object.values(sides)) {
  const page = await json(one.headers, 'GET', `/Users?count=100&cursor=`);
  let cursor = page.nextCursor;
  // As deep as a client that pages by cursor comes in the small tenant.
  for (let i = 0; i < 50; i++)
    cursor = (await json(one.headers, 'GET', `/Users?count=100&cursor=${cursor}`)).nextCursor;
  one.cursor = cursor;
}
const DEEP = SMALL * 0.9;
await compare('create', 1.5, (one) => () => ({ method: 'POST', path: '/Users', body: userBody('new', one.made++) }));
await compare('read by id', 1.5, (one) => (i) => ({
  method: 'GET',
  path: `/Users/${one.ids[(i * 7919) % one.ids.length]}`,
}));
await compare('filter by userName', 1.5, (one) => (i) => ({
  method: 'GET',
  path: `/Users?filter=userName%20eq%20%22${one.tag}-${(i * 7919) % SMALL}@example.com%22`,
}));
await compare('PATCH', 1.5, (one, round) => (i) => ({
  method: 'PATCH',
  path: `/Users/${one.ids[(i * 6271) % one.ids.length]}`,
  body: patchBody([{ op: 'replace', value: { displayName: `D ${round}` } }]),
}));
await compare('page by cursor', 1.5, (one) => () => ({ method: 'GET', path: `/Users?count=100&cursor=${one.cursor}` }));
await compare(
  `startIndex ${DEEP}`,
  1.5,
  () => () => ({ method: 'GET', path: `/Users?count=100&startIndex=${DEEP}` }),
  60,
);
for (const op of ['remove', 'add']) {
  await compare(`member ${op}`, 1.5, (one, round) => (i) => ({
    method: 'PATCH',
    path: `/Groups/${one.group}`,
    body: patchBody([{ op, path: 'members', value: [{ value: one.ids[round * COUNT + i] }] }]),
  }));
}
const { headers, ids } = sides.large;
const deepest = await latencies(origin, 1, 20, () => ({
  method: 'GET',
  headers,
  path: `/scim/v2/Users?count=100&startIndex=${Math.round(LARGE * 0.9)}`,
}));
report.atMost(`startIndex ${Math.round(LARGE * 0.9)} of ${LARGE}, ms`, median(deepest), null, 0);
await upgrade();
report.print();
await service.stop();
await stage.stop();

/** The median of a request in both tenants, in turns. */
async function compare(name, target, make, count = COUNT) {
  const times = { small: [], large: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const side of round % 2 === 0 ? ['small', 'large'] : ['large', 'small']) {
      const one = sides[side];
      const request = make(one, round);
      const list = await latencies(origin, 2, count, (i) => {
        const { path, ...rest } = request(i);
        return { headers: one.headers, ...rest, path: `/scim/v2${path}` };
      });
      times[side].push(median(list));
    }
  }
  report.atMost(`${name}: ${LARGE} users to ${SMALL}`, median(times.large) / median(times.small), target);
}

/** The longest write while each index of users is built as migrations build it. */
async function upgrade() {
  const { rows } = await db.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as text from pg_index
     where indrelid = 'users'::regclass and not indisunique`,
  );
  let building = true;
  const building$ = (async () => {
    for (const { text } of rows) {
      await db.query(text.replace(/^CREATE INDEX \S+/, 'create index concurrently rebuilt'));
      await db.query('drop index concurrently rebuilt');
    }
    building = false;
  })();
  const began = performance.now();
  let longest = 0;
  for (let i = 0; building; i++) {
    const before = performance.now();
    await json(
      headers,
      'PATCH',
      `/Users/${ids[i % ids.length]}`,
      patchBody([{ op: 'replace', value: { displayName: `U ${i}` } }]),
    );
    longest = Math.max(longest, performance.now() - before);
  }
  await building$;
  const seconds = (performance.now() - began) / 1000;
  report.atMost(`${rows.length} indexes of ${LARGE} users built beside writes, s`, seconds, null, 0);
  report.atMost('the longest write meanwhile, ms', longest, 1000, 0);
}

async function json(headers, method, path, body) {
  const response = await fetch(`${origin}/scim/v2${path}`, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
