import { readFileSync } from 'node:fs';
import path from 'node:path';
import { optionsOf } from '../../src/cli/command/wait.js';
import { COMMANDS } from '../../src/cli/program.js';

/**
 * Scripts of customers call these commands. Each line has a command, its argument and its options: `*` is a flag, `!` is
 * required, choices are in braces, `^` leads to options that it excludes. A release adds lines and options; it takes none away.
 */
const KEPT = readFileSync(path.join(import.meta.dirname, 'kept-commands.txt'), 'utf8')
  .trim()
  .split('\n');

const NOW = new Map(
  COMMANDS.map((command): [string, string[]] => {
    const { noun, verb, argument } = command;
    const options = optionsOf(command).map(
      ({ name, flag = false, required = false, choices, conflicts }) =>
        `--${name}${flag ? '*' : ''}${required ? '!' : ''}` +
        (choices === undefined ? '' : `{${[...choices].sort().join(',')}}`) +
        (conflicts === undefined ? '' : `^${[...conflicts].sort().join(',')}`),
    );
    const shown = argument === undefined ? [] : [argument.required ? '<argument>' : '[argument]'];
    return [`${noun} ${verb}`.trim(), [...shown, ...options]];
  }),
);

it.each(KEPT)('keeps %s', (line) => {
  const [name = '', words = ''] = line.split(/: ?/);
  const kept = words.split(' ').filter((word) => word !== '');
  expect({ name, words: NOW.get(name) }).toEqual({ name, words: expect.arrayContaining(kept) as string[] });
  const now = NOW.get(name)!;
  // What was optional, or not there, cannot become required.
  expect(now.filter((word) => /!|^<argument>/.test(word) && !kept.includes(word))).toEqual([]);
  expect(now.some((word) => word.endsWith('argument]') || word === '<argument>')).toBe(/argument[>\]]/.test(words));
});
