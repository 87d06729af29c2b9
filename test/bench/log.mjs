// What the log of requests costs: a read by id of a service that writes it beside one that does not, a batch of rows beside a
// bare COPY of the same rows, and the bytes of a row.
import path from 'node:path';
import pg from 'pg';
import { freePort, Service } from '../support/processes.mjs';
import { patchBody, userBody } from './bodies.mjs';
import { CONCURRENCY, scaled } from './contenders.mjs';
import { cpuOf } from './cpu.mjs';
import { load, median } from './load.mjs';
import { Report } from './report.mjs';
import { startStage } from './stage.mjs';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const READS = scaled(5000);
const ROWS = 500;

const PROGRAM = path.join(import.meta.dirname, 'with-log.mjs');
const report = new Report();
const stage = await startStage({}, [PROGRAM, 'on']);
const { database, db, origin, service, token, tenant } = stage;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' };
const quiet = new Service({ ...service.env, PORT: String(await freePort()) });
quiet.flags = [PROGRAM, 'off'];
await quiet.start();

const ids = [];
const create = (i) => ({ method: 'POST', path: '/scim/v2/Users', headers, body: userBody('log', i) });
create.seen = (i, text) => (ids[i] = JSON.parse(text).id);
await load(origin, CONCURRENCY, scaled(1000), create);

await reads();
await bytes();
await batches();

const failed = report.print();
await quiet.stop();
await service.stop();
await stage.stop();
process.exit(failed && process.env.BENCH_STRICT === 'on' ? 1 : 0);

/** Reads by id of both services in turns, by their rate and by the CPU of node. */
async function reads() {
  const read = (i) => ({ method: 'GET', path: `/scim/v2/Users/${ids[i % ids.length]}`, headers });
  const both = [
    { service, origin, rates: [], costs: [] },
    { service: quiet, origin: `http://127.0.0.1:${quiet.env.PORT}`, rates: [], costs: [] },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of round % 2 === 0 ? both : [...both].reverse()) {
      const before = cpuOf(one.service.pid);
      one.rates.push(await load(one.origin, CONCURRENCY, READS, read));
      one.costs.push((cpuOf(one.service.pid) - before) / READS);
    }
  }
  const [on, off] = both;
  report.ratio('read by id with the log, to without', median(on.rates), median(off.rates), 0.97);
  report.ratio('CPU of node of a read without the log, to with', median(off.costs), median(on.costs), null);
}

/** The bytes of a row without its body, of reads and writes in equal parts. Months without rows do not count. */
async function bytes() {
  await db.query('truncate requests, request_bodies');
  const count = scaled(10_000);
  const user = (i) => `/scim/v2/Users/${ids[Math.floor(i / 2) % ids.length]}`;
  const body = (i) => patchBody([{ op: 'replace', value: { title: `T${i}` } }]);
  await load(origin, CONCURRENCY, count, (i) =>
    i % 2 === 0
      ? { method: 'GET', path: user(i), headers }
      : { method: 'PATCH', path: user(i), headers, body: body(i) },
  );
  const { rows } = await until(
    `select count(*)::int as n, max(p.bytes)::int as bytes, max(p.own)::int as own
     from requests, (select sum(pg_total_relation_size(relid)) as bytes, sum(pg_relation_size(relid)) as own
       from pg_partition_tree('requests') where isleaf and pg_relation_size(relid) > 0) p`,
    ({ n }) => n >= count,
  );
  report.atMost('bytes of a row of the log, indexes included', rows[0].bytes / rows[0].n, 400, 0);
  report.atMost('bytes of a row of the log, without indexes', rows[0].own / rows[0].n, null, 0);
}

async function until(sql, done) {
  for (;;) {
    const result = await db.query(sql);
    if (done(result.rows[0])) return result;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Rows a second of a bare program that sends one COPY of the same rows, beside those of the service. */
async function batches() {
  const { writerOf } = await import('./with-log.mjs');
  const { add, rowOf, close } = await writerOf(database.url);
  await db.query('create table lean_requests (like requests including all)');
  const client = new pg.Client(database.url);
  await client.connect();
  const rates = { lean: [], ours: [] };
  const timed = async (work) => {
    const began = performance.now();
    await work();
    return ROWS / (performance.now() - began);
  };
  for (let round = 0; round < 5 * ROUNDS; round++) {
    const rows = Array.from({ length: ROWS }, (_, i) => rowOf(tenant, ids[(round * ROWS + i) % ids.length]));
    rates.ours.push(await timed(() => add(rows)));
    const text = (
      await db.query(`select string_agg(r::text, E'\\n') as text from requests r where id = any($1)`, [
        rows.map(({ id }) => id),
      ])
    ).rows[0].text;
    const csv = text.replace(/^\(|\)$/gm, '');
    rates.lean.push(await timed(() => copied(client, 'copy lean_requests from stdin csv', csv)));
  }
  report.ratio('rows of the log, to a COPY of them', median(rates.ours) * 1000, median(rates.lean) * 1000, 0.5);
  await client.end();
  await close();
}

/** Sends a COPY; the driver has the messages, and no method for them. */
function copied(client, text, data) {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection) => void connection.query(text),
      handleCopyInResponse(connection) {
        connection.sendCopyFromChunk(Buffer.from(data));
        connection.endCopyFrom();
      },
      handleRowDescription() {},
      handleDataRow() {},
      handleCommandComplete() {},
      handleError: reject,
      handleReadyForQuery: resolve,
    });
  });
}
