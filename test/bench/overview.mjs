// What is read across the houses, each beside a read by id of the same tenant of 100 000 users: `GET /requests` of a user among
// five million, `GET /status`, `explain`, and a page of a long history beside one of a short history.
import { scaled } from './contenders.mjs';
import { latencies, median } from './load.mjs';
import { Report } from './report.mjs';
import { seedUsers } from './seed.mjs';
import { newTenantOf, startStage } from './stage.mjs';

const USERS = scaled(100_000);
const REQUESTS = scaled(5_000_000);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const COUNT = 100;

const report = new Report();
const stage = await startStage();
const { db, origin, service } = stage;
const { tenant, directory, token, apiKey } = await newTenantOf(stage)('overview');
const ids = await seedUsers(db, tenant, directory, USERS, 'overview');
await fill();

const idOf = (i) => ids[(i * 7919) % USERS];
const scim = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const api = { authorization: `Bearer ${apiKey}` };
const get = (pathOf) => (i) => ({ method: 'GET', headers: api, path: `/api/v1${pathOf(i)}` });
const read = (i) => ({ method: 'GET', headers: scim, path: `/scim/v2/Users/${idOf(i)}` });

await beside(
  'requests of a user among all, to a read by id',
  3,
  get((i) => `/requests?user=${idOf(i)}`),
  read,
);
await beside(
  'requests of a directory, to a read by id',
  null,
  get(() => `/directories/${directory}/requests`),
  read,
);
await beside(
  'status, to a read by id',
  4,
  get(() => '/status'),
  read,
);
await beside(
  'explain, to a read by id',
  4,
  get((i) => `/users/${idOf(i)}/explain`),
  read,
);
await beside(
  'overview, to a read by id',
  4,
  get(() => '/overview'),
  read,
);
await beside(
  'search by the beginning of an e-mail, to a read by id',
  3,
  get((i) => `/search?q=${(i * 7919) % USERS}@`),
  read,
);
await beside(
  'search without a hit, to a read by id',
  3,
  get((i) => `/search?q=nothing-${i}`),
  read,
);
await beside(
  'statistics of a year by day, to a read by id',
  null,
  get(() => '/changes/statistics?interval=day&from=2025-01-01&to=2026-01-01'),
  read,
);
const history = (user) => get(() => `/users/${user}/history`);
await beside('history of 10 000 entries, to one of 100', 1.5, history(ids[0]), history(ids[1]));

const failed = report.print();
await service.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

/** The median of a request beside that of another one, in turns. */
async function beside(name, target, one, other) {
  const times = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    times[0].push(median(await latencies(origin, 1, COUNT, one)));
    times[1].push(median(await latencies(origin, 1, COUNT, other)));
  }
  report.atMost(name, median(times[0]) / median(times[1]), target);
}

/** The requests of the last two weeks, and two users with histories of changes. */
async function fill() {
  const { rows } = await db.query(
    `insert into request_sources (tenant_id, source) values ($1, $2), ($1, 'tok_bench') returning number`,
    [tenant, directory],
  );
  await db.query(
    `insert into requests (tenant_id, at, id, directory, credential, method, path, status, duration_ms, user_id, outcome)
     select $1, now() - (1 - i::float8 / $2) * interval '14 days', 'req_' || lpad(i::text, 26, '0'), $3, $4,
       case when i % 2 = 0 then 'GET' else 'PATCH' end, '/scim/v2/Users/{id}', 200, 1.5,
       'usr_overview' || lpad((i % $5)::text, 8, '0'), case when i % 2 = 1 then 'changed' end
     from generate_series(1, $2::int) i`,
    [tenant, REQUESTS, rows[0].number, rows[1].number, USERS],
  );
  for (const [user, count] of [
    [ids[0], 10_000],
    [ids[1], 100],
  ]) {
    await db.query(
      `insert into changes (tenant_id, user_id, kind, forwarded, changed, person, source, received_at, occurred_at)
       select $1, $2, 'updated', true, '{last_name}', '{"first_name":"A","last_name":"B"}', '{}', moment, moment
       from generate_series(1, $3) i, lateral (select now() - ($3 - i) * interval '1 minute' as moment) m`,
      [tenant, user, count],
    );
  }
  await db.query(
    `insert into delivery_hours (tenant_id, channel, destination, hour, accepted, confirmed, failed, parked, lags)
     select $1, 'platform', 'main', hour, 20, 18, 1, 0, '{0,1,4,8,3,1,1}'
     from generate_series('2025-01-01'::timestamptz, '2025-12-31T23:00Z', interval '1 hour') hour`,
    [tenant],
  );
  await db.query('vacuum analyze requests');
  await db.query('analyze');
}
