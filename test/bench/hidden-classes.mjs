// The hidden classes that the engine makes for each request, once the service is warm. They should be none: an object with
// a class of its own is slow to make, and slow for all that reads it. `npm run bench -- classes [kind]` names the places.
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { patchBody, userBody } from './bodies.mjs';
import { load } from './load.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const USERS = 2000;
const WARM = 3000;
const COUNT = 1000;
/** Connections and batches make a few; a place that makes one for each request is far above. */
const MOST = 0.8;

const program = readFileSync(path.resolve(import.meta.dirname, '../../dist/service.cjs'), 'latin1').split('\n');
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-classes-'));
const log = path.join(folder, 'v8.log');
const flags = ['--log-maps', '--no-log-maps-details', '--no-logfile-per-isolate', `--logfile=${log}`];
const stage = await startStage({}, flags);
const { db, origin, service } = stage;
const { tenant, directory, token, apiKey } = await newTenantOf(stage)('classes');
await seedUsers(db, tenant, directory, USERS, 'classes');
const { rows: users } = await db.query('select id, user_name from users where tenant_id = $1 order by id', [tenant]);

const scim = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const api = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
const userAt = (i) => users[i % users.length];
const one = (i) => `/scim/v2/Users/${userAt(i).id}`;
const person = (i) => ({ external_id: `p-${i}`, first_name: 'A', last_name: 'B', email: `p-${i}@example.com` });
let made = 0;
const KINDS = {
  create: () => ({ method: 'POST', path: '/scim/v2/Users', headers: scim, body: userBody('made', made++) }),
  taken: (i) => ({ method: 'POST', path: '/scim/v2/Users', headers: scim, body: userBody('made', i % 1000) }),
  read: (i) => ({ method: 'GET', path: one(i), headers: scim }),
  filter: (i) => ({
    method: 'GET',
    path: `/scim/v2/Users?filter=${encodeURIComponent(`userName eq "${userAt(i).user_name}"`)}`,
    headers: scim,
  }),
  patch: (i) => ({
    method: 'PATCH',
    path: one(i),
    headers: scim,
    body: patchBody([{ op: 'replace', value: { active: Math.floor(i / users.length) % 2 === 1 } }]),
  }),
  page: (i) => ({ method: 'GET', path: `/scim/v2/Users?startIndex=${1 + (i % 10) * 100}&count=100`, headers: scim }),
  person: () => ({ method: 'POST', path: '/api/v1/users', headers: api, body: JSON.stringify(person(made++)) }),
  candidate: () => ({ method: 'POST', path: '/api/v1/candidates', headers: api, body: JSON.stringify(person(made++)) }),
};

/** Returns the places of the program that made classes, and how often. */
function placesOf(lines) {
  const places = new Map();
  for (const line of lines) {
    const text = textAt(line);
    places.set(text, (places.get(text) ?? 0) + 1);
  }
  return places;
}

/** Returns the lines of the log about classes that were made by `count` requests. */
async function classesOf(request, expected) {
  await load(origin, 16, WARM, request, expected);
  const from = statSync(log).size;
  await load(origin, 16, COUNT, request, expected);
  // What follows an answer: sealing, and the log of requests.
  await sleep(300);
  const bytes = Buffer.alloc(statSync(log).size - from);
  const file = openSync(log, 'r');
  readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const lines = bytes.toString('latin1').split('\n');
  return lines.filter((line) => line.startsWith('map,Transition') || line.startsWith('map,NormalizeCached'));
}

/** The text of the program around a place of the log: kind, time, two classes, address, line, column, reason. */
function textAt(line) {
  const [, , , , , , row, column, reason] = line.split(',');
  const text = program[Number(row) - 1] ?? '';
  return `${reason} ${row}:${column} ${text.slice(Math.max(0, Number(column) - 60), Number(column) + 30)}`;
}

const wanted = process.argv.slice(2);
let tooMany = 0;
for (const [kind, request] of Object.entries(KINDS)) {
  if (wanted.length > 0 && !wanted.includes(kind)) continue;
  const lines = await classesOf(request, kind === 'taken' ? [409] : undefined);
  const each = lines.length / COUNT;
  tooMany += Number(each > MOST);
  console.log(`${each > MOST ? '!' : ' '} ${kind.padEnd(10)} ${each.toFixed(2)} a request`);
  for (const [text, times] of placesOf(lines)) if (times > COUNT / 2) console.log(`    ${text}`);
}
await service.stop();
await stage.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(tooMany === 0 ? 0 : 1);
