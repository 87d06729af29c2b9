// `npm run test:unit`: the pure specs alone, with no build, no database and no processes.
import path from 'node:path';
import all from './all.config.mjs';
import { pureSpecs } from './specs.mjs';

const { globalSetup: _, globalTeardown: __, workerIdleMemoryLimit: ___, testRegex: ____, ...rest } = all;
export default { ...rest, testMatch: pureSpecs().map((file) => path.posix.join('<rootDir>', file)) };
