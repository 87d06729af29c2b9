// Departures under a guard beside those of a directory without one: `npm run bench -- guard` (about two minutes).
import { load, median } from './load.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const ROUNDS = 7;
const BATCH = Number(process.env.BENCH_BATCH ?? 200);
/** As most IdPs send, and sixteen at once: writes without a guard share statements then, and counted ones do not. */
const AT_ONCE = [1, 16];
/** Nine of ten may leave: the limit is far from what the bench lets go. */
const FAR = { percent: 90, people: 1_000_000, at_least: 1, within_minutes: 1_440, day_percent: 90 };
/** One may leave: each further departure is held. */
const NEAR = { percent: 1, people: 1, at_least: 1, within_minutes: 1_440, day_percent: 1 };
const SPARE = 20_000;

const report = new Report();
const stage = await startStage();
const { db, origin, service } = stage;
const newTenant = newTenantOf(stage);
const contenders = {
  off: await directory('off', 'off'),
  far: await directory('far', FAR),
  near: await directory('near', NEAR),
};
await db.query('vacuum analyze');

for (const atOnce of AT_ONCE) {
  const rates = { off: [], far: [], near: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, one] of Object.entries(contenders)) {
      const ids = one.ids.splice(0, BATCH);
      // As after a quiet day: a directory whose limit is 200 has no more departures to count.
      if (name === 'far') await db.query('delete from guard_departures where directory_id = $1', [one.directory]);
      const began = performance.now();
      await load(origin, atOnce, BATCH, (i) => deactivation(one.token, ids[i]));
      // The first round warms up, and brings the guard near its limit.
      if (round > 0) rates[name].push((BATCH * 1000) / (performance.now() - began));
    }
  }
  const toOff = `to guard off, ${atOnce} at once`;
  report.ratio(`PATCH active, limit far, ${toOff}`, median(rates.far), median(rates.off), 0.95);
  report.ratio(`PATCH active, limit reached, ${toOff}`, median(rates.near), median(rates.off), 0.6);
}
report.print();
await service.stop();
await stage.stop();

async function directory(name, guard) {
  const tenant = await newTenant(name);
  const response = await fetch(`${origin}/api/v1/directories/${tenant.directory}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${tenant.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ guard }),
  });
  if (!response.ok) throw new Error(await response.text());
  const ids = await seedUsers(db, tenant.tenant, tenant.directory, AT_ONCE.length * (ROUNDS + 1) * BATCH + SPARE, name);
  return { ...tenant, ids };
}

function deactivation(token, id) {
  return {
    method: 'PATCH',
    path: `/scim/v2/Users/${id}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [{ op: 'replace', path: 'active', value: false }],
    }),
  };
}
