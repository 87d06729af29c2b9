import path from 'node:path';
import { compile, evaluate } from './start/program.js';

// Node.js 21 and later have it. Without it the driver of PostgreSQL asks `Response` where it runs, and with that Node.js loads
// its own HTTP client: a tenth of a start.
if (!('navigator' in globalThis)) {
  const [major] = process.versions.node.split('.');
  Object.defineProperty(globalThis, 'navigator', { value: { userAgent: `Node.js/${major}` }, configurable: true });
}

const { run } = evaluate(
  compile(path.join(import.meta.dirname, 'service.program')),
) as typeof import('./start/service.js');
await run();
