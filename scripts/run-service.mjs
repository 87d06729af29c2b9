// What `npm run dev` runs: the built modules, one by one.
import { run } from '../dist/start/service.js';

await run();
