import { readFileSync } from 'node:fs';
import path from 'node:path';
import { read } from './documents.js';

const CHAPTER = read('docs/why/architecture.md').split('## The main road')[1]!.split('\n## ')[0]!;
/** The files of the road in the order in which a reader opens them. */
const ROAD = [...CHAPTER.split('```')[1]!.matchAll(/^[ \d]+([a-z-]+\/[\w./-]+\.ts) /gm)].map(
  ([, file]) => `src/${file!}`,
);
/** Files that Nest or the engine calls: no file of the road imports them. */
const BEGINNING = /\.(guard|controller|worker|channel)\.ts$/;

/** Returns the files that a file imports by value. */
function valueImports(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^import (?!type )[^;]*? from '(\.[^']+)\.js'/gm)].map(
    ([, specifier]) => `${path.posix.join(path.posix.dirname(file), specifier!)}.ts`,
  );
}

it('has at most 30 files', () => {
  expect(ROAD.length).toBeGreaterThan(20);
  expect(ROAD.length).toBeLessThanOrEqual(30);
});

it('has one file a line', () => {
  const lines = CHAPTER.split('```')[1]!.split('\n');
  expect(lines.filter((line) => line.includes('.ts '))).toHaveLength(ROAD.length);
});

it.each(ROAD.map((file, place) => [file, place] as const))('leads to %s from a file before it', (file, place) => {
  if (BEGINNING.test(file)) return;
  expect(ROAD.slice(0, place).flatMap(valueImports)).toContain(file);
});
