// Walks along a list of 50 000 users, by index and by cursor, in several orders, while 20 000 writes happen. No user who
// is there throughout may be missed or come twice, and no page may cost much more than the first.
import pg from 'pg';
import { rmSync } from 'node:fs';
import { credentialsIn, freePort, freshDatabase, Service } from '../support/processes.mjs';
import { median } from '../bench/load.mjs';
import { seedUsers } from '../bench/seed.mjs';

const USERS = Number(process.env.WALK_USERS ?? 50_000);
const WRITES = Number(process.env.WALK_WRITES ?? 20_000);
const WRITERS = 8;
const COUNT = 200;
/** Factor by which pages at the end of a walk may cost more than the first, on an idle machine. */
const DEAREST = 3;

const WALKS = {
  'by index': {},
  'by cursor': { cursor: '' },
  'by cursor, sorted by userName': { cursor: '', sortBy: 'userName' },
  'by cursor, sorted by displayName, descending': { cursor: '', sortBy: 'displayName', sortOrder: 'descending' },
  'by cursor, sorted by externalId': { cursor: '', sortBy: 'externalId' },
  'by cursor, sorted by meta.created': { cursor: '', sortBy: 'meta.created' },
  'by cursor, sorted by name.familyName, which no index has': { cursor: '', sortBy: 'name.familyName' },
  'by cursor, filtered': { cursor: '', filter: 'active eq true' },
  'by index, sorted by userName': { sortBy: 'userName' },
};
/** Orders of which only the words of the limits speak: a page reads all users. */
const UNBOUNDED = new Set(['by cursor, sorted by name.familyName, which no index has']);

const database = await freshDatabase('walks');
const db = new pg.Pool({ connectionString: database.url, max: 2 });
const port = await freePort();
const service = new Service({
  PORT: String(port),
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'off',
  RATE_LIMIT: 'off',
  LOG_LEVEL: 'error',
});
await service.start();
const { scim_token: token, tenant_id: tenant } = credentialsIn(database.folder);
const { rows: directories } = await db.query('select id from directories where tenant_id = $1', [tenant]);
const base = `http://127.0.0.1:${port}/scim/v2/Users`;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };

await db.query(`insert into tenants (id, name) values ('ten_other', 'other')`);
await db.query(
  `insert into directories (tenant_id, id, name, profile) values ('ten_other', 'dir_other', 'other', 'tolerant')`,
);
await seedUsers(db, 'ten_other', 'dir_other', USERS, 'other');
const ids = await seedUsers(db, tenant, directories[0].id, USERS, 'walk');
await db.query('vacuum analyze');

/** Users that a writer deletes, spread over the list; all others are there throughout. */
const leaving = ids.filter((_, i) => i % 20 === 7);
const staying = new Set(ids.filter((_, i) => i % 20 !== 7));

let failures = 0;
const fail = (text) => {
  failures++;
  console.log(`✗ ${text}`);
};

let done = 0;
async function write(i) {
  const body = (operations) =>
    JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations });
  const kind = i % 8;
  const request =
    kind === 0 && leaving.length > 0
      ? [`${base}/${leaving.pop()}`, { method: 'DELETE', headers }]
      : kind === 1
        ? [
            base,
            {
              method: 'POST',
              headers,
              body: JSON.stringify({ userName: `new-${i}@example.com`, displayName: `N ${i}`, externalId: `new-${i}` }),
            },
          ]
        : [
            `${base}/${[...sample(i)]}`,
            { method: 'PATCH', headers, body: body([{ op: 'replace', value: { title: `T${i}` } }]) },
          ];
  const answer = await fetch(...request);
  await answer.arrayBuffer();
  if (answer.status >= 500) fail(`a write was answered ${answer.status}`);
  done++;
}

function* sample(i) {
  let at = (i * 7919) % ids.length;
  while (!staying.has(ids[at])) at = (at + 1) % ids.length;
  yield ids[at];
}

/** Walks the whole list once; answers the ids in their order and the milliseconds of each page. */
async function walk(name, parameters) {
  const seen = [];
  const times = [];
  let startIndex = 1;
  let cursor = parameters.cursor;
  for (;;) {
    const query = { ...parameters, count: String(COUNT), ...(cursor === undefined ? { startIndex } : { cursor }) };
    const began = performance.now();
    const answer = await fetch(`${base}?${new URLSearchParams(query)}`, { headers });
    const body = await answer.json();
    times.push(performance.now() - began);
    if (answer.status !== 200) {
      fail(`${name}: ${answer.status} ${JSON.stringify(body)}`);
      return { seen, times };
    }
    const { totalResults, itemsPerPage, Resources, nextCursor } = body;
    seen.push(...Resources.map(({ id }) => id));
    const agrees =
      itemsPerPage === Resources.length &&
      totalResults >= seen.length &&
      (cursor !== undefined || body.startIndex === startIndex);
    if (!agrees) fail(`${name}: totalResults ${totalResults}, itemsPerPage ${itemsPerPage}, listed ${seen.length}`);
    startIndex += Resources.length;
    cursor = nextCursor;
    const ended = parameters.cursor === undefined ? startIndex > totalResults : nextCursor === undefined;
    if (ended || Resources.length === 0) return { seen, times };
  }
}

function check(name, seen) {
  const met = new Set(seen);
  const missed = [...staying].filter((id) => !met.has(id)).length;
  const twice = seen.length - met.size;
  if (missed + twice > 0) fail(`${name}: ${missed} missed, ${twice} twice`);
  else console.log(`✓ ${name}: ${seen.length} users, none missed, none twice, ${done} writes so far`);
}

console.log(`${USERS} users, ${WRITES} writes by ${WRITERS} writers, pages of ${COUNT}`);
let next = 0;
const writers = Array.from({ length: WRITERS }, async () => {
  while (next < WRITES) await write(next++);
});
do {
  for (const [name, parameters] of Object.entries(WALKS)) check(name, (await walk(name, parameters)).seen);
} while (done < WRITES);
await Promise.all(writers);

console.log('the same without writes:');
await db.query('vacuum analyze');
for (const [name, parameters] of Object.entries(WALKS)) {
  const { seen, times } = await walk(name, parameters);
  check(name, seen);
  const first = median(times.slice(0, 10));
  const tenths = Array.from({ length: 10 }, (_, i) =>
    median(times.slice((i * times.length) / 10, ((i + 1) * times.length) / 10)),
  );
  const ratio = Math.max(...tenths) / first;
  const text = `${name}: first page ${first.toFixed(1)} ms, dearest tenth of the walk × ${ratio.toFixed(2)}`;
  if (ratio > DEAREST && !UNBOUNDED.has(name)) fail(text);
  else console.log(`✓ ${text}`);
}

await service.stop();
await db.end();
await database.server.stop();
rmSync(database.server.folder, { recursive: true, force: true });
process.exit(failures > 0 ? 1 : 0);
