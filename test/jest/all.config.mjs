// `npm test`: every spec but those that are long as a whole. Long ones that go in rounds run a tenth of them.
import fs from 'node:fs';

const swc = JSON.parse(fs.readFileSync(new URL('../../.swcrc', import.meta.url), 'utf8'));

export default {
  rootDir: '../..',
  runner: '<rootDir>/test/runner/runner.mjs',
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testRegex: ['(?<!\\.long)\\.spec\\.ts$'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // A third worker saves a tenth of the time on two cores, and makes what waits for a lock there wait too long.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/jest/long-first.mjs',
  testTimeout: 60_000,
  // What the files of a worker leave behind adds up. From this size on, marking it costs more than the seconds in which a worker
  // that begins anew loads all modules.
  workerIdleMemoryLimit: '1GB',
};
