// Writes the cache of a program: `node compile-ahead.mjs <program>`. The program is loaded, not started, so that the cache
// has the functions that run while it is loaded.
import { writeFileSync } from 'node:fs';
import { cacheFile, cacheOf, compile, evaluate } from '../dist/start/program.js';

const program = compile(process.argv[2]);
evaluate(program);
writeFileSync(cacheFile(program.file), cacheOf(program));
