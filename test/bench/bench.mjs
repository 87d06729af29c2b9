// What the service costs, side by side in one run with the leanest program that could do the job, on a PostgreSQL with
// its default settings. A second program stores the service's own rows with one statement: what the tables cost, and what
// the code. Only the ratios mean anything on another machine; the absolute figures are there for scale.
import pg from 'pg';
import { Contenders, scaled } from './contenders.mjs';
import { median } from './load.mjs';
import { candidates } from './parts/candidates.mjs';
import { feed } from './parts/feed.mjs';
import { firstSync } from './parts/first-sync.mjs';
import { forwarding } from './parts/forwarding.mjs';
import { freshTenant } from './parts/fresh-tenant.mjs';
import { hangingPlatform } from './parts/hanging-platform.mjs';
import { largeTenant } from './parts/large-tenant.mjs';
import { requests } from './parts/requests.mjs';
import { whoIsSignedIn } from './parts/who-is-signed-in.mjs';
import { startProgram } from './peers.mjs';
import { Report } from './report.mjs';
import { secondLayer } from './second-layer.mjs';
import { newTenantOf, startStage } from './stage.mjs';

/** `BENCH_PARTS=requests,sync` runs these parts alone. */
const PARTS = process.env.BENCH_PARTS?.split(',');
const wanted = (part) => PARTS === undefined || PARTS.includes(part);

const report = new Report();
const stage = await startStage();
const { database, db, sink, service, token, apiKey, tenant, origin } = stage;
await db.query(`insert into tenants (id, name) values ('ten_raw', 'raw')`);
await db.query(
  `insert into directories (tenant_id, id, name, profile) values ('ten_raw', 'dir_raw', 'raw', 'tolerant')`,
);
await db.query('create database lean');
const leanUrl = database.server.url('lean');
const leanDb = new pg.Pool({ connectionString: leanUrl, max: 1 });
const raw = await startProgram('raw-server.mjs', [database.url, 'ten_raw', 'dir_raw']);
const lean = await startProgram('lean-server.mjs', [leanUrl]);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const contenders = new Contenders(
  report,
  {
    lean: { origin: lean.url, prefix: '', headers, pid: () => lean.pid },
    raw: { origin: raw.url, prefix: '', headers, pid: () => raw.pid },
    ours: { origin, prefix: '/scim/v2', headers, pid: () => service.pid },
  },
  database,
);
const newTenant = newTenantOf(stage);
const scene = { db, leanDb, origin, sink, tenant, apiKey, headers, newTenant, settled };

if (wanted('requests')) {
  const ids = await requests(contenders, settled);
  await whoIsSignedIn(contenders, scene, ids);
}
if (wanted('candidates')) await candidates(contenders, scene);
if (wanted('feed')) await feed(report, scene);
if (wanted('fresh')) await freshTenant(report, scene);
if (wanted('large')) await largeTenant(contenders, report, scene);
if (wanted('sync')) {
  const starts = [];
  for (let i = 0; i < 3; i++) {
    await service.stop();
    starts.push(await service.start());
  }
  await firstSync(contenders, report, service, settled);
  report.atMost('process start to first answer, ms (database up)', median(starts), 2500, 0);
}
if (wanted('forwarding')) {
  await forwarding({ report, db, sink, service, tenant, apiKey, origin, count: scaled(12_000) });
}
if (wanted('platform')) await hangingPlatform(report, scene);

const failed = report.print();
await service.stop();
await raw.stop();
await lean.stop();
await leanDb.end();
if (wanted('layers')) await secondLayer(db, database.url, report);
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

/** What the last measurement wrote is delivered before the next one begins: they must not share the machine. */
async function settled() {
  for (;;) {
    const { rows } = await db.query(
      `select exists (select 1 from lanes where tenant_id = $1 and first_pending is not null) as busy`,
      [tenant],
    );
    if (!rows[0].busy) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
