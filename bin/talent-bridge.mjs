#!/usr/bin/env node
// `npx talent-bridge <noun> <verb> …`: the command line. In a clone it first installs and builds what is missing.
// Standard output is the command's own: what installing and building print goes to standard error.
import { existsSync } from 'node:fs';
import path from 'node:path';

// `npm run` starts in the package's folder; relative paths mean the folder in which the command was typed.
const typedIn = process.env.npm_lifecycle_event === 'cli' ? (process.env.INIT_CWD ?? process.cwd()) : process.cwd();
if (existsSync(path.join(import.meta.dirname, '../src'))) {
  const { prepare } = await import('../scripts/prepare.mjs');
  await prepare();
}
process.chdir(typedIn);
await import('../dist/cli/main.js');
