import fs from 'node:fs';
import os from 'node:os';
import { FOLDER, SHARED } from './test/support/source/bundle.mjs';

const swc = JSON.parse(fs.readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));

/** Modules of the source one by one, as they are. */
export const SINGLE = {
  testEnvironment: 'node',
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
};

/** The source as one file. */
const BUNDLED = {
  testEnvironment: '<rootDir>/test/support/source/environment.mjs',
  moduleNameMapper: {
    '^(?:\\.\\./)+src/(.*)\\.js$': `${FOLDER}/src/$1.mjs`,
    ...Object.fromEntries(SHARED.map((name) => [`^${name}$`, `${FOLDER}/${name}.mjs`])),
    ...SINGLE.moduleNameMapper,
  },
};

export default {
  // With SPECS_SOURCE=single an error in the source names its file and line.
  ...(process.env.SPECS_SOURCE === 'single' ? SINGLE : BUNDLED),
  roots: ['<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false, sourceMaps: 'inline' }] },
  setupFiles: ['reflect-metadata'],
  setupFilesAfterEnv: ['<rootDir>/test/support/patience.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
  // Specs wait for databases, sockets and processes in a third of their time.
  maxWorkers: Math.min(4, os.availableParallelism() + 1),
  testSequencer: '<rootDir>/test/support/long-first.mjs',
  testTimeout: 60_000,
  workerIdleMemoryLimit: '512MB',
};
