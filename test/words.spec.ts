import path from 'node:path';

const { riddlesIn } = (await import(path.resolve('scripts/check-words.mjs'))) as {
  riddlesIn: (text: string) => { line: number; found: string; instead: string }[];
};

const found = (text: string): string[] => riddlesIn(text).map((riddle) => `${riddle.line} ${riddle.found}`);

describe('the check of words', () => {
  it.each([
    ['a phrase in a comment', '// The lane\n// goes on.', ['2 goes on']],
    ['a phrase over two lines of a comment', '// An id that stands\n// in the key.', ['1 stands in']],
    ['a phrase over two lines of a docstring', ' * The value as it\n * was.', ['1 as it was']],
    ['a phrase at the beginning of a sentence', '/** Nobody reads it. So many rows. */', ['1 So many', '1 Nobody']],
    ['a phrase in a name of a test', "it('tells whoever waits')", ['1 whoever']],
  ])('reports %s', (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    ['a name in code', 'const standIn = isGoingOn(task);'],
    ['the system user in quotes', "lines.find((line) => line.startsWith('nobody:')), `nobody`"],
    ['other uses of the same words', 'An endpoint behind a proxy stands still before it continues.'],
  ])('accepts %s', (_, text) => {
    expect(found(text)).toEqual([]);
  });
});
