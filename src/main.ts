// The built service is one file: a start from its modules reads three thousand.
const { run } = (await import(new URL('service.cjs', import.meta.url).href)) as typeof import('./start/service.js');
await run();
