import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** Brings node_modules, dist and the console up to date with the lock file and the sources; does nothing where they are. */
export async function prepare() {
  install();
  await build();
  await buildConsole();
}

/**
 * Prints what a script does and ends this process, where its arguments ask for help.
 *
 * @param script the script whose first comment is the help
 */
export function helpOf(script = process.argv[1], args = process.argv.slice(2)) {
  if (!args.includes('--help') && !args.includes('-h')) return;
  const lines = readFileSync(script, 'utf8').split('\n');
  const head = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('//')),
  );
  console.log(head.map((line) => line.replace(/^\/\/ ?/, '')).join('\n'));
  process.exit(0);
}

/** Brings node_modules up to date with the lock file. */
export function install() {
  process.chdir(ROOT);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) fail(`Node.js 20.19 or later is needed; this is ${process.version}.`);
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

async function buildConsole() {
  const newest = newestIn(
    'web',
    ['scripts/build-web.mjs', 'package-lock.json'],
    (file) => !file.startsWith(path.join('web', 'dist')),
  );
  const mark = path.join('web', 'dist', '.built');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === newest) return;
  console.error('Building the console …');
  const { buildWeb } = await import('./build-web.mjs');
  await buildWeb();
  writeFileSync(mark, newest);
}

async function build() {
  const newest = newestIn('src', ['.swcrc', 'scripts/bundle.mjs']);
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

/** A fingerprint of the sources: the names, sizes and times of a folder, and the content of what builds them. */
function newestIn(folder, builders, isSource = () => true) {
  const hash = createHash('sha256').update(process.version);
  for (const builder of builders) hash.update(readFileSync(builder));
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || !isSource(file)) continue;
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
