import { existsSync } from 'node:fs';
import { reachedByValue } from '../support/import-graph.js';
import { read } from './documents.js';

const CHAPTER = read('docs/why/architecture.md').split('## The main road')[1]!.split('\n## ')[0]!;
const [BEFORE_COMMIT = '', AFTER_COMMIT = ''] = CHAPTER.split('```')[1]!.split('── committed ──');

/** Returns the files that a part of the list names, in its order. */
function filesOf(part: string): string[] {
  return [...part.matchAll(/^ {1,4}[ \d]{0,2} ?([a-z-]+\/[\w./-]+\.ts) /gm)].map(([, file]) => `src/${file!}`);
}

const fromController = reachedByValue(['src/directory-sync/routes/users/scim-users.controller.ts']);
const fromWorker = reachedByValue([
  'src/engine/delivery/pump/delivery.worker.ts',
  'src/forwarding/forwarding.module.ts',
]);

it.each([...filesOf(BEFORE_COMMIT), ...filesOf(AFTER_COMMIT)])('lists an existing file: %s', (file) => {
  expect(existsSync(file)).toBe(true);
});

it.each(filesOf(BEFORE_COMMIT))('reaches %s from the controller by value', (file) => {
  expect(fromController).toContain(file);
});

it.each(filesOf(AFTER_COMMIT))('reaches %s from the worker and the channel by value', (file) => {
  expect(fromWorker).toContain(file);
});

it('lists every line of the road', () => {
  const lines = CHAPTER.split('```')[1]!
    .split('\n')
    .filter((line) => line.includes('.ts '));
  expect([...filesOf(BEFORE_COMMIT), ...filesOf(AFTER_COMMIT)]).toHaveLength(lines.length);
});

it('states the number of files that the controller reaches by value', () => {
  expect(/reaches (\d+) files by imports of values/.exec(CHAPTER)?.[1]).toBe(String(fromController.length));
});
