import { scaled } from '../contenders.mjs';
import { latencies, median } from '../load.mjs';
import { seedUsers } from '../seed.mjs';

/** Look-ups of a tenant that no statistics know, before and after ANALYZE. */
export async function freshTenant(report, { db, origin, newTenant }) {
  const fresh = await newTenant('fresh');
  const headers = { authorization: `Bearer ${fresh.token}` };
  const lookUps = [
    (i) => `userName%20eq%20%22fresh-${i}@example.com%22`,
    (i) => `emails%5Bvalue%20eq%20%22fresh-${i}@example.com%22%5D`,
    (i) => `externalId%20eq%20%22fresh-${i}%22`,
  ];
  const request = (i) => ({ method: 'GET', headers, path: `/scim/v2/Users?filter=${lookUps[i % 3](i % 10_000)}` });
  await latencies(origin, 4, scaled(1500), request); // Every connection makes its plans while the tenant is empty.
  await seedUsers(db, fresh.tenant, fresh.directory, 10_000, 'fresh');
  const before = median(await latencies(origin, 4, scaled(3000), request));
  await db.query('analyze');
  const after = median(await latencies(origin, 4, scaled(3000), request));
  report.atMost('a tenant of 10 000 before and after ANALYZE (look-ups)', before / after, 1.3);
}
