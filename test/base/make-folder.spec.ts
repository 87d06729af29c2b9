import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../src/base/make-folder.js';

let home: string;
beforeAll(() => (home = mkdtempSync(path.join(os.tmpdir(), 'bridge-folder-'))));
afterAll(() => rmSync(home, { recursive: true }));

it('creates each missing folder, and returns them from the outermost', () => {
  const made = [path.join(home, 'a'), path.join(home, 'a/b'), path.join(home, 'a/b/c')];
  expect(makeFolder(made[2]!, 0o700)).toEqual(made);
  expect(statSync(made[2]!).mode & 0o777).toBe(0o700);
  expect(makeFolder(made[2]!)).toEqual([]);
});

it('fails with the folder that cannot be made when a file is above it', () => {
  writeFileSync(path.join(home, 'file'), '');
  const below = path.join(home, 'file/x');
  expect(() => makeFolder(path.join(below, 'y'))).toThrow(expect.objectContaining({ code: 'ENOTDIR', path: below }));
});

// The recursive mkdir of Node.js never returns here.
(process.platform === 'linux' ? it : it.skip)('fails at once when the parent answers ENOENT', () => {
  expect(() => makeFolder('/proc/nope/x')).toThrow(expect.objectContaining({ code: 'ENOENT', path: '/proc/nope' }));
});
