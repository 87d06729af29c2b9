// One hostile caller after the other beside an honest one of another tenant, against the started service. What counts is
// what the honest caller notices: its delay, its errors, the silence of the event loop; and the memory of the service.
import { fork } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsIn, freePort, freshDatabase, memoryOf, Service } from '../support/processes.mjs';
import { CALLERS } from './callers.mjs';
import { prepareTenants } from './tenants.mjs';

const SECONDS = Number(process.env.AVAILABILITY_SECONDS ?? 5);
const ONLY = process.env.AVAILABILITY_ONLY;
/** What the honest caller should notice at the most; missing one of these is printed. */
const AIM = { slower: 5, floorMs: 6, bytesFactor: 8, bytesMiB: 60 };
/**
 * What fails the run. Five processes share two cores with the other work of the machine, so that delay and resident
 * memory have room; errors, silence and an end of the service have none.
 */
const MOST = { slower: 5, floorMs: 30, bytesFactor: 8, bytesMiB: 180, silenceMs: 1_000, databaseMiB: 300 };

const database = await freshDatabase('availability');
const silent = createSocket('udp4').bind(0, '127.0.0.1');
await once(silent, 'listening');
const port = await freePort();
const service = new Service({
  PORT: String(port),
  SANDBOX_PORT: String(await freePort()),
  DATABASE_URL: database.url,
  DATA_DIR: database.folder,
  SANDBOX: 'on',
  DNS_SERVERS: `127.0.0.1:${silent.address().port}`,
  LOG_LEVEL: 'error',
});
let contexts;
let first;
let honest;

/** Starts a caller and tells it what it is to know; resolves when it has begun. */
async function child(file, args, context) {
  const options = { env: { PATH: process.env.PATH }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] };
  const caller = fork(path.join(import.meta.dirname, file), args, options);
  caller.send(context);
  await once(caller, 'message');
  return caller;
}

async function honestPhase(seconds) {
  honest.send('report');
  await once(honest, 'message');
  await sleep(seconds * 1_000);
  honest.send('report');
  const [phase] = await once(honest, 'message');
  return phase;
}

const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Infinity;

/** Ends the hostile caller: what it sent, and the answers it got. */
async function ended(hostile) {
  const last = once(hostile, 'message');
  hostile.send('over');
  const [report] = await Promise.race([last, once(hostile, 'exit').then(() => [null])]);
  if (report === null) throw new Error('the hostile caller ended too early');
  return report;
}

/** Memory that the backends of the database have for themselves, in MiB. */
function databaseMemory() {
  const postmaster = Number(readFileSync(path.join(database.server.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const anonymous = (pid) => {
    try {
      return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    } catch {
      return 0; // the backend has ended meanwhile
    }
  };
  return Math.round(children.reduce((sum, pid) => sum + anonymous(pid), 0) / 1024);
}

/** The service's memory in MiB; 0 once it has ended, which is reported apart. */
const serviceMemory = () => (service.child.exitCode === null ? memoryOf(service.pid).now : 0);

async function highest(read, until) {
  let most = read();
  while (!until.done) {
    most = Math.max(most, read());
    await sleep(50);
  }
  return most;
}

/** The honest caller alone, once the service has finished what came before; the first phase of all is the measure. */
async function quietPhase() {
  for (let tries = 0; ; tries++) {
    const phase = await honestPhase(1);
    const p50 = quantile(phase.delays, 0.5);
    first ??= p50;
    if (p50 < 2 * Math.max(first, AIM.floorMs) || tries === 15) return phase;
  }
}

async function run(name) {
  const alone = await quietPhase();
  const before = { service: serviceMemory(), database: databaseMemory() };
  const end = { done: false };
  const peaks = Promise.all([highest(serviceMemory, end), highest(databaseMemory, end)]);
  const hostile = await child('hostile.mjs', [name], contexts.hostile);
  const beside = await honestPhase(SECONDS);
  const report = await ended(hostile);
  end.done = true;
  const [servicePeak, databasePeak] = await peaks;
  const result = {
    name,
    aloneMs: quantile(alone.delays, 0.5),
    p50: quantile(beside.delays, 0.5),
    p99: quantile(beside.delays, 0.99),
    requests: beside.delays.length,
    silence: beside.silence,
    grown: servicePeak - before.service,
    databaseGrown: databasePeak - before.database,
    sentMiB: report.sent / 1024 / 1024,
    statuses: report.statuses,
    failures: beside.failures,
  };
  const slow = ({ slower, floorMs }) => result.p50 > slower * Math.max(result.aloneMs, floorMs);
  const large = ({ bytesFactor, bytesMiB }) => result.grown > bytesFactor * result.sentMiB + bytesMiB;
  const delay = `p50 ${result.p50.toFixed(0)} ms, alone ${result.aloneMs.toFixed(0)} ms`;
  const memory = `memory grew by ${result.grown} MiB for ${result.sentMiB.toFixed(1)} MiB sent`;
  result.missed = [slow(AIM) && delay, large(AIM) && memory].filter(Boolean);
  const problems = [
    [slow(MOST), delay],
    [result.silence > MOST.silenceMs, `the event loop was silent for ${result.silence.toFixed(0)} ms`],
    [large(MOST), memory],
    [result.databaseGrown > MOST.databaseMiB, `the database's memory grew by ${result.databaseGrown} MiB`],
    [result.failures.length > 0, `${result.failures.length} failed, such as ${result.failures[0]}`],
    [Object.keys(result.statuses).some((s) => s === '500'), 'the hostile caller met a 500'],
    [service.child.exitCode !== null, 'the service ended'],
  ].filter(([wrong]) => wrong);
  result.problems = problems.map(([, text]) => text);
  return result;
}

const cell = (value, width) => String(value).padStart(width);
const ms = (value, width) => cell(value.toFixed(0), width);

async function runAll() {
  await service.start();
  const url = `http://127.0.0.1:${port}`;
  contexts = await prepareTenants(url, credentialsIn(database.folder), database.url);
  honest = await child('honest.mjs', [], contexts.honest);
  await honestPhase(3);
  console.log(
    'beside                                              alone   p50    p99  silence  memory  database    sent  hostile answers',
  );
  let failed = 0;
  const names = Object.keys(CALLERS).filter((one) => ONLY === undefined || one.includes(ONLY));
  for (const name of names) {
    let r = await run(name);
    // Two cores for five processes: what counts has to come back when it is measured again.
    if (r.problems.length > 0 && service.child.exitCode === null) r = await run(name);
    const times = ms(r.aloneMs, 6) + ms(r.p50, 6) + ms(r.p99, 7) + ms(r.silence, 9);
    const bytes = cell(r.grown, 8) + cell(r.databaseGrown, 10) + cell(r.sentMiB.toFixed(1), 8);
    console.log(`${name.padEnd(51)}${times}${bytes}  ${JSON.stringify(r.statuses)}`);
    for (const aim of r.missed) console.log(`    aim missed: ${aim}`);
    for (const problem of r.problems) console.log(`    PROBLEM: ${problem}`);
    if (r.problems.length > 0) failed++;
    if (service.child.exitCode !== null) throw new Error(`the service ended:\n${service.output}`);
    await sleep(1_000);
  }
  console.log('times in ms, memory and bytes in MiB (growth over the time of the caller)');
  return { passed: names.length - failed, failed };
}

let result = { passed: 0, failed: 1 };
try {
  result = await runAll();
} finally {
  honest?.kill();
  silent.close();
  if (service.child?.exitCode === null && (await service.stop()) !== 0) {
    console.log('    PROBLEM: the service did not stop as it should');
    result.failed++;
  }
  await database.server.stop();
  console.log(`${result.passed} passed, ${result.failed} failed`);
}
process.exit(result.failed === 0 ? 0 : 1);
