// The runner of the spec files (jest's option `runner`): bare Node.js, in which the files of a worker share their modules.
// Jest's own runner reads, links and runs all modules again for each file. A file that starts the service needs 900 of
// them, and that was half of the time of all tests.
import { readFileSync } from 'node:fs';
import JestRunner from 'jest-runner';
import { Worker } from 'jest-worker';

/** A file with this import needs what only jest's own runner has: fake timers, mocks, modules of its own. */
const APART = "from '@jest/globals'";

/** Runs spec files for jest, which listens to the events. */
export default class Runner {
  supportsEventEmitters = true;
  #globalConfig;
  #jestRunner;
  #listeners = [];

  constructor(globalConfig, context) {
    this.#globalConfig = globalConfig;
    this.#jestRunner = new JestRunner(globalConfig, context);
  }

  /** Calls a listener at each event of a name, until the function that it returns is called. */
  on(name, listener) {
    const entry = { name, listener };
    this.#listeners.push(entry);
    const off = this.#jestRunner.on(name, listener);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== entry);
      off();
    };
  }

  /** Runs the files in their order, those that need jest's own runner first. */
  async runTests(tests, watcher, options) {
    const apart = tests.filter(({ path }) => readFileSync(path, 'utf8').includes(APART));
    if (apart.length > 0) await this.#jestRunner.runTests(apart, watcher, options);
    const others = tests.filter((test) => !apart.includes(test));
    if (others.length > 0) await this.#runBare(others, watcher, options);
  }

  async #runBare(tests, watcher, { serial }) {
    const { maxWorkers, workerIdleMemoryLimit, testNamePattern } = this.#globalConfig;
    const waiting = [...tests];
    const runWaiting = async () => {
      let worker = startWorker();
      for (let test = waiting.shift(); test !== undefined && !watcher.isInterrupted(); test = waiting.shift()) {
        await this.#emit('test-file-start', test);
        const { setupFiles, testTimeout } = test.context.config;
        const ask = { path: test.path, setupFiles, testTimeout, testNamePattern };
        const { result, error, memory } = await worker.run(ask).catch((error) => ({ error, memory: Infinity }));
        await (result ? this.#emit('test-file-success', test, result) : this.#emit('test-file-failure', test, error));
        // The limit of jest-worker itself would end a worker that has begun the next file.
        if (waiting.length === 0 || memory <= (workerIdleMemoryLimit ?? Infinity)) continue;
        await endOf(worker);
        worker = startWorker();
      }
      await endOf(worker);
    };
    const lanes = serial ? 1 : Math.min(maxWorkers, tests.length);
    await Promise.all(Array.from({ length: lanes }, runWaiting));
  }

  async #emit(name, ...event) {
    for (const entry of this.#listeners) if (entry.name === name) await entry.listener(event);
  }
}

/** Ends a worker, after the service that its files share. A worker that has died has none. */
async function endOf(worker) {
  await worker.endOfFiles().catch(() => undefined);
  await worker.end();
}

function startWorker() {
  const worker = new Worker(new URL('worker.mjs', import.meta.url), {
    exposedMethods: ['run', 'endOfFiles'],
    numWorkers: 1,
    forkOptions: { stdio: 'pipe', execArgv: [] },
    maxRetries: 0,
  });
  worker.getStdout().on('data', (text) => process.stdout.write(text));
  worker.getStderr().on('data', (text) => process.stderr.write(text));
  return worker;
}
