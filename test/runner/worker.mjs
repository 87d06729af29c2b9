// Runs spec files one after the other in this process, by jest-circus. They share all modules but themselves.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { expect } from 'expect';
import * as circus from 'jest-circus';
import { resultOf } from './result.mjs';

register('./typescript.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus;
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test });

/** An uncaught error fails the test that runs, or else the file. */
function fail(error) {
  const { currentlyRunningTest, unhandledErrors } = circus.getState();
  (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
}
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

circus.addEventHandler(({ name, test }) => {
  if (name === 'test_start') expect.setState({ currentTestName: test.name, suppressedErrors: [] });
  // Whether the checks are as many as `expect.assertions` says is known when the test has ended.
  if (name === 'test_done') {
    const missed = expect.extractExpectedAssertionsErrors().map(({ error }) => error);
    test.errors.push(...expect.getState().suppressedErrors, ...missed);
  }
  // A rejection is reported as unhandled when the tasks that are due have run.
  return name === 'run_finish' ? new Promise((resolve) => setImmediate(resolve)) : undefined;
});

/** Runs a spec file; returns its result in the form of jest, and the memory of this process in bytes. */
export async function run({ path, setupFiles, testTimeout, testNamePattern }) {
  const folder = process.cwd();
  const variables = { ...process.env };
  const start = Date.now();
  for (const file of setupFiles) await import(pathToFileURL(file).href);
  const { measureSpeed, patience } = await import('../support/speed.ts');
  measureSpeed();
  circus.resetState();
  const state = circus.getState();
  state.testTimeout = patience(testTimeout);
  if (testNamePattern) state.testNamePattern = new RegExp(testNamePattern, 'i');
  expect.setState({ testPath: path });
  try {
    await import(pathToFileURL(path).href);
    const { testResults, unhandledErrors } = await circus.run();
    const result = resultOf({ path, start, testResults, unhandledErrors });
    return { result, memory: process.memoryUsage.rss() };
  } finally {
    // What a file set is not there for the next one.
    process.chdir(folder);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  }
}

/** Ends what the files of this worker have shared. */
export async function endOfFiles() {
  const { end } = await import('../support/at-end.ts');
  await end();
}
