// The cost of the second layer in the database: the hot statements as owner, as the service's plain role, and as that
// role under row-level security with the tenant set in each transaction, as a pool needs it. On throwaway copies of the
// tables, in schemas of their own. `npm run bench -- layers`, and a section of `npm run bench`.
import pg from 'pg';
import path from 'node:path';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { freshDatabase } from '../support/processes.mjs';
import { median } from './load.mjs';

const ROLE = 'talent_bridge_service';
const TABLES = ['users', 'user_emails', 'seat_entries', 'changes'];
const PLAIN = 'bench_plain';
const SECURED = 'bench_secured';
const USERS = 5_000;
const CONCURRENCY = 8;
const ROUNDS = 5;
const COUNT = 600;
const TENANT = 'ten_layer';
const OPTIONS = '-c plan_cache_mode=force_generic_plan -c enable_bitmapscan=off -c jit=off -c synchronous_commit=off';

const COLUMNS = `tenant_id, id, directory_id, source, doc, user_name, user_name_key, external_id, active, email, email_key,
  first_name, last_name, role, person_external_id, status, seat, ever_active`;
const VALUES = `$1, $2, 'dir_1', 'scim', $3::jsonb, $2, lower($2), $2, true, $2, lower($2), 'G', 'F', 'User', $2, 'active', 'held', true`;

/** The hot statements; `i` is the number of the call. */
const STATEMENTS = {
  create: {
    text: `with subject as (insert into users (${COLUMNS}) values (${VALUES}) on conflict do nothing returning id),
      e as (insert into user_emails (tenant_id, user_id, ordinal, value_key, type_key)
        select $1, id, 1, lower($2), 'work' from subject),
      s as (insert into seat_entries (tenant_id, kind, user_id, delta, role, reason, source)
        select $1, 'claim', id, 1, 'User', 'created', '{}' from subject),
      c as (insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at)
        select $1, id, 'created', true, '{status}', '{}', '{}', now() from subject)
      select id from subject`,
    values: (tag, i) => [TENANT, `${tag}-${i}`, DOCUMENT],
  },
  'read by id': {
    text: `select id, doc::text as doc from users where tenant_id = $1 and id = $2`,
    values: (_, i) => [TENANT, `seed-${i % USERS}`],
  },
  'filter by userName': {
    text: `select id, doc::text as doc from users where tenant_id = $1 and user_name_key = $2 and gone_at is null`,
    values: (_, i) => [TENANT, `seed-${i % USERS}`],
  },
  'update of a PATCH': {
    text: `update users set doc = $3::jsonb, version = version + 1, updated_at = now()
      where tenant_id = $1 and id = $2 returning id`,
    values: (_, i) => [TENANT, `seed-${(i * 7) % USERS}`, DOCUMENT],
  },
  'page of 100': {
    text: `select id, doc::text as doc from users where tenant_id = $1 and id > $2 order by id limit 100`,
    values: (_, i) => [TENANT, `seed-${i % (USERS / 2)}`],
    count: 200,
  },
};
const DOCUMENT = JSON.stringify({
  userName: 'seed@example.com',
  active: true,
  name: { givenName: 'G', familyName: 'F' },
});

/** Measures and reports; `owner` is a pool of the owner of a migrated database. */
export async function secondLayer(owner, url, report) {
  await makeCopies(owner);
  const pools = {
    owner: pool(url, PLAIN, ''),
    'plain role': pool(url, PLAIN, ` -c role=${ROLE}`),
    'row-level security': pool(url, SECURED, ` -c role=${ROLE}`),
  };
  try {
    for (const [name, statement] of Object.entries(STATEMENTS)) {
      const rates = Object.fromEntries(Object.keys(pools).map((mode) => [mode, []]));
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [mode, connections] of Object.entries(pools)) {
          const rate = await measured(connections, mode, statement, `${mode.replaceAll(' ', '')}${round}`);
          if (round > 0) rates[mode].push(rate); // the first round warms up
        }
      }
      const own = median(rates.owner);
      for (const mode of ['plain role', 'row-level security']) {
        report.ratio(`${name}: ${mode} beside the owner`, median(rates[mode]), own, null);
      }
    }
  } finally {
    await Promise.all(Object.values(pools).map((each) => each.end()));
    await owner.query(`drop schema ${PLAIN}, ${SECURED} cascade`);
  }
}

async function makeCopies(owner) {
  for (const schema of [PLAIN, SECURED]) {
    await owner.query(`drop schema if exists ${schema} cascade`);
    await owner.query(`create schema ${schema}`);
    await owner.query(`grant usage on schema ${schema} to ${ROLE}`);
    for (const table of TABLES) {
      await owner.query(`create table ${schema}.${table} (like public.${table} including all)`);
      await owner.query(`grant select, insert, update, delete on ${schema}.${table} to ${ROLE}`);
    }
    await owner.query(
      `insert into ${schema}.users (${COLUMNS}) select ${VALUES.replaceAll('$2', `'seed-' || i`)}
       from generate_series(0, ${USERS} - 1) as i`.replace('$3', '$2'),
      [TENANT, DOCUMENT],
    );
    await owner.query(`analyze ${schema}.users`);
  }
  for (const table of TABLES) {
    await owner.query(`alter table ${SECURED}.${table} enable row level security`);
    await owner.query(`create policy own on ${SECURED}.${table} using (tenant_id = current_setting('app.tenant'))`);
  }
}

function pool(url, schema, role) {
  return new pg.Pool({
    connectionString: url,
    max: CONCURRENCY,
    options: `${OPTIONS} -c search_path=${schema},public${role}`,
  });
}

/** Calls a second over all connections. */
async function measured(connections, mode, { text, values, count = COUNT }, tag) {
  const name = `s${text.length}`;
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < count) {
        const call = { name, text, values: values(tag, next++) };
        if (mode !== 'row-level security') await connections.query(call);
        else await underPolicy(connections, call);
      }
    }),
  );
  return count / ((performance.now() - began) / 1000);
}

/** The fewest round trips that set the tenant for one statement and no longer. */
async function underPolicy(connections, call) {
  const client = await connections.connect();
  try {
    await client.query(`begin; set local app.tenant = '${TENANT}'`);
    await client.query(call);
    await client.query('commit');
  } finally {
    client.release();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { Report } = await import('./report.mjs');
  const { prepareDatabase } = await import(path.resolve(import.meta.dirname, '../../dist/start/database-access.js'));
  const database = await freshDatabase('bench-second-layer');
  await prepareDatabase(database.url, null);
  const owner = new pg.Pool({ connectionString: database.url, max: 2 });
  const report = new Report();
  await secondLayer(owner, database.url, report);
  await owner.end();
  await database.server.stop();
  rmSync(database.server.folder, { recursive: true, force: true });
  rmSync(database.folder, { recursive: true, force: true });
}
