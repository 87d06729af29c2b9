import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/**
 * How the service is run. A heap that may grow to 1 GiB and no further is kept tidy by the engine; without a limit it
 * lets garbage pile up to several hundred MiB on a machine with much memory. It is collected when the heap has grown by
 * 40 %, in place of up to fourfold: the live part of a busy process hardly grows. One thread beside the main one compiles
 * and collects garbage: with four the peak is up to 30 MiB higher, and nothing is faster.
 *
 * With the interrupt budget a function is optimised after a third of the usual work: the first thousand creations after a start take
 * a quarter less time. Later versions of Node.js have a quick compiler before the thorough one, and do not start with
 * a flag that they do not know.
 *
 * @param version the version of Node.js
 */
export function nodeFlags(version) {
  const flags = [
    '--max-semi-space-size=8',
    '--max-old-space-size=1024',
    '--heap-growing-percent=40',
    '--v8-pool-size=1',
  ];
  return version.startsWith('20.') ? [...flags, '--interrupt-budget=20000'] : flags;
}

export const NODE_FLAGS = nodeFlags(process.versions.node);

/** The C library keeps free memory for each thread otherwise, which is 20 MiB of nothing. */
export const NODE_VARIABLES = { MALLOC_ARENA_MAX: '2' };

/** Brings node_modules and dist up to date with the lock file and the sources; does nothing where they are. */
export async function prepare() {
  process.chdir(ROOT);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node.js 20.19 or later is needed; this is ${process.version}.`);
  install();
  await build();
}

function install() {
  const mark = path.join('node_modules', '.installed');
  const wanted = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return;
  if (existsSync(path.join('node_modules', '.package-lock.json')) && process.env.CI === undefined && installed()) {
    writeFileSync(mark, wanted);
    return;
  }
  console.error('Installing packages …');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  writeFileSync(mark, wanted);
}

/** Whether what npm installed last is what the lock file says, package by package; times may be anybody's. */
function installed() {
  const { packages: wanted } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { packages: there } = JSON.parse(readFileSync(path.join('node_modules', '.package-lock.json'), 'utf8'));
  return Object.entries(wanted).every(
    ([place, { version, optional }]) => place === '' || optional === true || there[place]?.version === version,
  );
}

async function build() {
  const newest = newestIn('src');
  const mark = path.join('dist', '.built');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === newest) return;
  console.error('Building …');
  rmSync('dist', { recursive: true, force: true });
  run(process.execPath, [
    'node_modules/@swc/cli/bin/swc.js',
    'src',
    '-d',
    'dist',
    '--strip-leading-paths',
    '--extensions',
    '.ts',
    '--copy-files',
    '--quiet',
  ]);
  // Loaded here, because it needs a package that a fresh clone does not have before.
  const { bundle } = await import('./bundle.mjs');
  await bundle();
  writeFileSync(mark, newest);
}

/** A fingerprint of the sources: their names, sizes and times. */
function newestIn(folder) {
  const hash = createHash('sha256').update(readFileSync('.swcrc')).update(readFileSync('scripts/bundle.mjs'));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

export function run(command, args, options = {}) {
  // Standard output is that of the program that is prepared: `--json` must be JSON alone.
  const result = spawnSync(command, args, {
    stdio: ['inherit', 2, 2],
    shell: process.platform === 'win32',
    ...options,
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
