// One side of an ablation: the service as it is, or without one fast path, on a database of its own.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle } from '../../../scripts/bundle.mjs';
import { load } from '../load.mjs';
import { candidateBody, userBody } from '../bodies.mjs';
import { seedUsers } from '../seed.mjs';
import { newTenantOf, startStage } from '../stage.mjs';

const DIST = path.resolve(import.meta.dirname, '../../../dist');
/** Users of the walk, seeded as rows. */
const SEEDED = 20_000;
/** Users with lanes, created by requests. */
const CREATED = 3_000;

/** Candidates of the row `candidate`. */
const CANDIDATES = 500;
/** Tenants of the row `tenants`. */
const TENANTS = 60;

/** @typedef {Awaited<ReturnType<typeof startSide>>} Side */

/**
 * Builds the service without a fast path beside the built one.
 *
 * @param {import('./paths.mjs').FastPath} fastPath
 * @returns {Promise<{ entry: string, remove: () => void }>} the program, relative to the project
 */
export async function buildWithout({ name, changes }) {
  const left = new Set(Object.keys(changes));
  await bundle('without.cjs', (module, text) => {
    if (!Object.hasOwn(changes, module)) return text;
    left.delete(module);
    return changes[module].reduce((changed, [before, after]) => {
      if (changed.split(before).length !== 2) throw new Error(`${name}: ${module} does not have "${before}" once.`);
      return changed.replace(before, () => after);
    }, text);
  });
  if (left.size > 0) throw new Error(`${name}: the service has no ${[...left].join(', ')}.`);
  writeFileSync(
    path.join(DIST, 'without.js'),
    readFileSync(path.join(DIST, 'main.js'), 'utf8').replace('service.cjs', 'without.cjs'),
  );
  const files = ['without.js', 'without.cjs', 'without.cjs.map'];
  return { entry: 'dist/without.js', remove: () => files.forEach((file) => rmSync(path.join(DIST, file))) };
}

/** Starts a side with its users. */
export async function startSide(entry) {
  const stage = await startStage({}, [], entry);
  const { db, tenant, token, apiKey, origin } = stage;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
  const { rows } = await db.query(`select id from directories where tenant_id = $1`, [tenant]);
  await seedUsers(db, tenant, rows[0].id, SEEDED, 'walk');
  const ids = [];
  const create = (i) => ({ method: 'POST', headers, path: '/scim/v2/Users', body: userBody('seed', i) });
  create.seen = (i, text) => (ids[i] = JSON.parse(text).id);
  await load(origin, 16, CREATED, create);
  await db.query('analyze');
  const apiHeaders = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const api = async (method, route) => {
    const { authorization } = apiHeaders;
    const response = await fetch(`${origin}/api/v1${route}`, { method, headers: { authorization } });
    if (!response.ok) throw new Error(await response.text());
  };
  const settled = async (sleep) => {
    const text = `select exists (select 1 from lanes where tenant_id = $1 and first_pending is not null
      and parked_reason is null) as busy`;
    while ((await db.query(text, [tenant])).rows[0].busy) await sleep(10);
  };
  let many;
  const makeMany = async () => {
    const newTenant = newTenantOf(stage);
    const made = [];
    for (let i = 0; i < TENANTS; i++) {
      const one = await newTenant(`many-${i}`);
      made.push({ token: one.token, ids: await seedUsers(db, one.tenant, one.directory, 50, `many${i}x`) });
    }
    return made;
  };
  const manyTenants = () => (many ??= makeMany());
  let made;
  const makeCandidates = async () => {
    const all = [];
    const one = (i) => ({
      method: 'POST',
      headers: apiHeaders,
      path: '/api/v1/candidates',
      body: candidateBody('a', i),
    });
    one.seen = (i, text) => (all[i] = JSON.parse(text).id);
    await load(origin, 16, CANDIDATES, one);
    return all;
  };
  const candidates = () => (made ??= makeCandidates());
  const stop = async () => {
    await stage.service.stop();
    await stage.stop();
  };
  const users = SEEDED + CREATED;
  return { db, tenant, origin, headers, apiHeaders, ids, users, api, settled, manyTenants, candidates, stop };
}
