// The rows of the bench that a user feels, as requests to one service.
import { setTimeout as sleep } from 'node:timers/promises';
import { groupBody, patchBody, userBody } from '../bodies.mjs';
import { load } from '../load.mjs';

const CONCURRENCY = 16;
const PAGE = 100;

/**
 * Each row measures a side once, in requests (or changes) a second.
 *
 * @type {Record<string, (side: import('./side.mjs').Side, round: number, scale: (n: number) => number) => Promise<number>>}
 */
export const ROWS = {
  create: ({ origin, headers }, round, scale) =>
    load(origin, CONCURRENCY, scale(1500), (i) => ({
      method: 'POST',
      headers,
      path: '/scim/v2/Users',
      body: userBody(`c${round}`, i),
    })),
  conflict: ({ origin, headers }, _, scale) =>
    load(
      origin,
      CONCURRENCY,
      scale(1500),
      (i) => ({ method: 'POST', headers, path: '/scim/v2/Users', body: userBody('seed', i) }),
      [409],
    ),
  read: ({ origin, headers, ids }, _, scale) =>
    load(origin, CONCURRENCY, scale(4000), (i) => ({
      method: 'GET',
      headers,
      path: `/scim/v2/Users/${ids[i % 2000]}`,
    })),
  /** Reads of many tenants, which have no statement in common. */
  tenants: async (side, _, scale) => {
    const tenants = await side.manyTenants();
    return load(side.origin, CONCURRENCY, scale(4000), (i) => {
      const { token, ids } = tenants[i % tenants.length];
      const headers = { authorization: `Bearer ${token}` };
      return { method: 'GET', headers, path: `/scim/v2/Users/${ids[i % ids.length]}` };
    });
  },
  filter: ({ origin, headers }, _, scale) =>
    load(origin, CONCURRENCY, scale(3000), (i) => ({
      method: 'GET',
      headers,
      path: `/scim/v2/Users?filter=userName%20eq%20%22seed-${i % 2000}@example.com%22`,
    })),
  patch: ({ origin, headers, ids }, round, scale) =>
    load(origin, CONCURRENCY, scale(1500), (i) => ({
      method: 'PATCH',
      headers,
      path: `/scim/v2/Users/${ids[i % 1500]}`,
      body: patchBody([{ op: 'replace', value: { active: round % 2 === 1 } }]),
    })),
  put: ({ origin, headers, ids }, round, scale) =>
    load(origin, CONCURRENCY, scale(1500), (i) => ({
      method: 'PUT',
      headers,
      path: `/scim/v2/Users/${ids[i % 1500]}`,
      body: userBody('seed', i % 1500, `Put${round}`),
    })),
  page: ({ origin, headers }, _, scale) =>
    load(origin, CONCURRENCY, scale(300), () => ({ method: 'GET', headers, path: `/scim/v2/Users?count=${PAGE}` })),
  /** A full import as IdPs do it: one page after the other, by `startIndex`. */
  walk: ({ origin, headers }, _, scale) =>
    load(origin, 1, scale(190), (i) => ({
      method: 'GET',
      headers,
      path: `/scim/v2/Users?count=${PAGE}&startIndex=${1 + i * PAGE}`,
    })),
  deep: ({ origin, headers, users }, _, scale) =>
    load(origin, 4, scale(100), () => ({
      method: 'GET',
      headers,
      path: `/scim/v2/Users?count=${PAGE}&startIndex=${Math.floor(users * 0.9)}`,
    })),
  group: ({ origin, headers, ids }, round, scale) =>
    load(origin, CONCURRENCY, scale(600), (i) => ({
      method: 'POST',
      headers,
      path: '/scim/v2/Groups',
      body: groupBody(
        `g${round}-${i}`,
        Array.from({ length: 10 }, (_, k) => ids[(i * 10 + k) % ids.length]),
      ),
    })),
  candidate: async ({ origin, apiHeaders, candidates }, round, scale) => {
    const ids = await candidates();
    return load(origin, CONCURRENCY, scale(1500), (i) => ({
      method: 'PATCH',
      headers: apiHeaders,
      path: `/api/v1/candidates/${ids[i % ids.length]}`,
      body: JSON.stringify({ last_name: `Patched ${round}-${i}` }),
    }));
  },
  /** Changes that were made while the destination was paused. */
  forward: async (side, _, scale) => {
    const count = scale(3000);
    await side.api('POST', '/platform/pause');
    await side.db.query(
      `update lanes set state = 'due', first_pending = last_pending, pending_since = now(), confirmed_digest = null
       where tenant_id = $1 and subject in (select subject from lanes where tenant_id = $1 order by subject limit $2)`,
      [side.tenant, count],
    );
    const began = performance.now();
    await side.api('POST', '/platform/resume');
    await side.settled(sleep);
    return count / ((performance.now() - began) / 1000);
  },
};
