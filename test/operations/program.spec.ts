import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { cacheFile, cacheOf, compile, evaluate } from '../../src/start/program.js';

const DIST = path.resolve(import.meta.dirname, '../../dist');

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'program-'));
  file = path.join(folder, 'small.program');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a program that exports a function which returns `value`, one character. */
function write(value: string): void {
  writeFileSync(file, `(function (exports) { exports.value = () => '${value}'; })`);
}

function valueOf(program: ReturnType<typeof compile>): string {
  return (evaluate(program) as { value: () => string }).value();
}

function writeCache(): void {
  const program = compile(file);
  valueOf(program);
  writeFileSync(cacheFile(file), cacheOf(program));
}

test('runs a program without a cache, and with one', () => {
  write('a');
  expect(valueOf(compile(file))).toBe('a');
  writeCache();
  const cached = compile(file);
  expect(cached.script.cachedDataRejected).toBe(false);
  expect(valueOf(cached)).toBe('a');
});

test('runs a changed program of the same length without the former cache', () => {
  write('a');
  writeCache();
  write('b');
  const changed = compile(file);
  expect(changed.script.cachedDataRejected).toBeUndefined();
  expect(valueOf(changed)).toBe('b');
});

test.each([0, 10, 32, 60])('uses no cache that was cut to %d bytes', (length) => {
  write('a');
  writeCache();
  writeFileSync(cacheFile(file), readFileSync(cacheFile(file)).subarray(0, length));
  expect(rejected(file)).toBe('undefined');
  expect(valueOf(compile(file))).toBe('a');
});

test('uses no cache with one bad byte, at any place', () => {
  write('a');
  writeCache();
  const whole = readFileSync(cacheFile(file));
  for (const place of whole.keys()) {
    const bad = Buffer.from(whole);
    bad[place]! ^= 1;
    writeFileSync(cacheFile(file), bad);
    expect(compile(file).script.cachedDataRejected).toBeUndefined();
  }
});

test('uses the cache of the service with the flags of the service, and with no others', async () => {
  const { NODE_FLAGS } = (await import(path.resolve(DIST, '../scripts/node-flags.mjs'))) as { NODE_FLAGS: string[] };
  const service = path.join(DIST, 'service.program');
  expect(rejected(service, NODE_FLAGS)).toBe('false');
  expect(rejected(service, [...NODE_FLAGS, '--no-lazy'])).toBe('true');
});

/** Says whether the compiler refuses a cache, in a process that has not compiled the program before. */
function rejected(program: string, flags: string[] = []): string {
  const asking = path.join(folder, 'asking.mjs');
  copyFileSync(path.join(DIST, 'start/program.js'), path.join(folder, 'program.mjs'));
  writeFileSync(
    asking,
    `import { compile } from './program.mjs';
    process.stdout.write(String(compile(${JSON.stringify(program)}).script.cachedDataRejected));`,
  );
  return spawnSync(process.execPath, [...flags, asking], { encoding: 'utf8', env: {} }).stdout;
}
