import { readFileSync } from 'node:fs';
import path from 'node:path';
import { cpuOf, cpuOfServer } from './cpu.mjs';
import { load, median } from './load.mjs';

/** The first two or three rounds of a program are those in which V8 compiles it: the median has to be one of the others. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9);
const SCALE = Number(process.env.BENCH_SCALE ?? 1);
export const CONCURRENCY = 16;
export const scaled = (n) => Math.max(50, Math.round(n * SCALE));

/**
 * The programs that are measured in turns: the lean one, the raw one on the service's own tables, and the service. Each
 * has `origin`, `prefix`, `headers` and `pid`.
 */
export class Contenders {
  constructor(report, programs, database) {
    this.report = report;
    this.programs = programs;
    this.postmaster = Number(readFileSync(path.join(database.server.folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  }

  /**
   * Measures the programs in turns and reports the medians. A program for which `make` answers null takes no part.
   *
   * @param make `(who, round)` gives the function of the request of each index
   * @param target the least ratio to the lean program
   * @param expected the statuses that answers may have
   * @param settled waits until nothing is left to do of what was measured: it must not share the machine with the next one
   */
  async race(name, target, count, make, { expected, settled } = {}) {
    const runs = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const who of turns(Object.keys(this.programs), round)) {
        const one = make(who, round);
        if (one === null) continue;
        (runs[who] ??= []).push(await this.measure(who, count, one, expected));
        await settled?.();
      }
    }
    const middle = (who, figure) => median(runs[who].map((run) => run[figure]));
    this.report.race(
      name,
      target,
      Object.fromEntries(
        Object.keys(runs).map((who) => [
          who,
          { rate: middle(who, 'rate'), node: middle(who, 'node'), postgres: middle(who, 'postgres') },
        ]),
      ),
    );
  }

  /** Requests a second, and milliseconds of CPU a request of node and of PostgreSQL. */
  async measure(who, count, one, expected) {
    const { origin, prefix, headers, pid } = this.programs[who];
    const requestOf = (i) => {
      const request = one(i);
      return { headers, ...request, path: request.absolute ?? prefix + request.path };
    };
    requestOf.seen = one.seen;
    const before = { node: cpuOf(pid()), postgres: cpuOfServer(this.postmaster) };
    const rate = await load(origin, CONCURRENCY, count, requestOf, expected);
    return {
      rate,
      node: (cpuOf(pid()) - before.node) / count,
      postgres: (cpuOfServer(this.postmaster) - before.postgres) / count,
    };
  }
}

/** Another order in each round, so that none always follows the same one. */
const turns = (names, round) => names.map((_, i) => names[(i + round) % names.length]);
export { ROUNDS };
