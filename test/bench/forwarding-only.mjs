// The forwarding part of the bench alone: `npm run build && node test/bench/forwarding-only.mjs`. BENCH_SCALE as in bench.mjs.
import { forwarding } from './parts/forwarding.mjs';
import { load } from './load.mjs';
import { Report } from './report.mjs';
import { startStage } from './stage.mjs';

const COUNT = Math.max(50, Math.round(12_000 * Number(process.env.BENCH_SCALE ?? 1)));
const report = new Report();
const stage = await startStage();
const { db, sink, service, token, apiKey, tenant, origin } = stage;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const users = (i) => ({
  method: 'POST',
  path: '/scim/v2/Users',
  headers,
  body: JSON.stringify({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    userName: `user-${i}@example.com`,
    externalId: `user-${i}`,
    name: { givenName: `G${i}`, familyName: `F${i}` },
    emails: [{ value: `user-${i}@example.com`, type: 'work', primary: true }],
    active: true,
  }),
});
console.log(`creates a second, forwarded meanwhile: ${Math.round(await load(origin, 16, COUNT, users))}`);
for (;;) {
  const { rows } = await db.query(`select exists (select 1 from lanes where first_pending is not null) as busy`);
  if (!rows[0].busy) break;
  await new Promise((resolve) => setTimeout(resolve, 50));
}
await forwarding({ report, db, sink, tenant, apiKey, origin, count: COUNT });
report.print();
await service.stop();
await stage.stop();
