// The built service is one file: a start from its modules reads three thousand. `import` would read it once more, for its names.
import { createRequire } from 'node:module';

const { run } = createRequire(import.meta.url)('./service.cjs') as typeof import('./start/service.js');
await run();
