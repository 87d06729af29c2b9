import { groupBody, patchBody } from '../bodies.mjs';
import { ROUNDS, scaled } from '../contenders.mjs';
import { latencies, median } from '../load.mjs';
import { seedGroups, seedLean, seedUsers } from '../seed.mjs';

const USERS = 100_000;
const SIZES = [10, 1_000, 10_000, 100_000];

/** Pages, depth and groups in a tenant of 100 000 users. */
export async function largeTenant(contenders, report, { db, leanDb, origin, newTenant }) {
  const deep = await newTenant('deep');
  const ids = await seedUsers(db, deep.tenant, deep.directory, USERS, 'deep');
  const groups = await seedGroups(db, deep.tenant, deep.directory, ids, SIZES);
  const newcomers = await seedUsers(db, deep.tenant, deep.directory, 400, 'newcomer');
  await db.query('analyze');
  const leanIds = await seedLean(leanDb, USERS, SIZES);
  const headers = { authorization: `Bearer ${deep.token}`, 'content-type': 'application/scim+json' };
  /** A race of the lean program and the service alone. */
  const race = (name, target, count, make) =>
    contenders.race(name, target, count, (who, round) => {
      if (who === 'raw') return null;
      const one = make(who, round);
      return (i) => (who === 'ours' ? { headers, ...one(i) } : one(i));
    });
  const get = (path) => () => ({ method: 'GET', path });
  const idOf = (who, i) => (who === 'ours' ? ids : leanIds)[(i * 7919) % USERS];

  await race('read by id of 100 000', 0.5, scaled(5000), (who) => (i) => ({
    method: 'GET',
    path: `/Users/${idOf(who, i)}`,
  }));
  await race('page of 100', 0.25, scaled(600), (who) =>
    get(`/Users?startIndex=1${who === 'ours' ? '&count=100' : ''}`),
  );
  await race('startIndex at 90 % of 100 000', 0.3, scaled(200), (who) =>
    get(`/Users?startIndex=90001${who === 'ours' ? '&count=100' : ''}`),
  );
  await byCursor(report, origin, headers);
  const tenOf = (who, i) => Array.from({ length: 10 }, (_, k) => idOf(who, i * 10 + k));
  await race('POST group of ten', 0.5, scaled(1000), (who, round) => (i) => ({
    method: 'POST',
    path: '/Groups',
    body: groupBody(`made-${round}-${i}`, tenOf(who, i)),
  }));
  await race('group of 10 000 with members', 0.45, scaled(60), (who) =>
    get(`/Groups/${who === 'ours' ? groups.get(10_000) : 'g10000'}`),
  );
  await race('group of 100 000 without members', 0.25, scaled(3000), (who) =>
    get(`/Groups/${who === 'ours' ? groups.get(100_000) : 'g100000'}?excludedAttributes=members`),
  );
  await oneMember(report, origin, headers, groups, newcomers);
}

async function byCursor(report, origin, headers) {
  let cursor = '';
  for (let seen = 0; seen < USERS * 0.9; seen += 100) {
    const response = await fetch(`${origin}/scim/v2/Users?count=100&cursor=${cursor}`, { headers });
    cursor = (await response.json()).nextCursor;
  }
  const at = async (place) =>
    median(
      await latencies(origin, 1, 150, () => ({
        method: 'GET',
        headers,
        path: `/scim/v2/Users?count=100&cursor=${place}`,
      })),
    );
  const first = await at('');
  report.atMost('the page at 90 % of 100 000 by cursor, to the first', (await at(cursor)) / first, 1.2);
}

async function oneMember(report, origin, headers, groups, newcomers) {
  const times = new Map(SIZES.map((size) => [size, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const size of SIZES) {
      const edit = (op) => (i) => ({
        method: 'PATCH',
        headers,
        path: `/scim/v2/Groups/${groups.get(size)}`,
        body: patchBody([{ op, path: 'members', value: [{ value: newcomers[i] }] }]),
      });
      const added = await latencies(origin, 1, newcomers.length, edit('add'));
      const removed = await latencies(origin, 1, newcomers.length, edit('remove'));
      times.get(size).push((median(added) + median(removed)) / 2);
    }
  }
  const least = median(times.get(10));
  for (const size of SIZES.slice(1)) {
    report.atMost(`one member more or fewer in ${size}, to one of 10`, median(times.get(size)) / least, 1.15);
  }
}
