// Phrases that have to be read twice: German grammar in English words. Code, comments, names of tests, documents, and texts
// for users have none of them. Most readers of this source are not native speakers.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The places to read: all files below a folder, and single files. */
const PLACES = ['src', 'test', 'docs', 'scripts', '.ci', 'README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'];
const TEXTS = /\.(ts|mjs|md|sql|yml|css)$|^\.ci\/run$/;
/** Texts of others, generated pages (their texts are in src), and the lists of phrases. */
const FOREIGN =
  /^(test\/fixtures|scripts\/run-scim\.mjs|docs\/reference|docs\/contribute\/style\.md|scripts\/check-words\.mjs|test\/words\.spec\.ts)/;

/** A phrase, and the words to write. A blank is any white space, also with the beginning of a line of a comment in it. */
const PHRASES = [
  ['(?:stands?|stood|standing) (?:in|for)', 'is in, means, replaces'],
  ['(?:go|goes|going|gone|went) on', 'continues'],
  ['so (?:many|often)', 'a number with its unit'],
  ['after so long', 'a time'],
  ['as (?:it|they|he|she) (?:was|were)', 'unchanged; the former value'],
  ['as before', 'unchanged; still'],
  ['by (?:itself|themselves)', 'automatically; alone'],
  ['for good', 'permanently'],
  ['(?:is|are|was|were|be|been|being) told', 'receives, is notified'],
  ['hears? of', 'receives'],
  ['it is none', 'null when there is no …'],
  ['what (?:is more than|comes meanwhile)', 'requests that arrive meanwhile'],
  ['behind the (?:last|first|horizon|newest|end|position|place)', 'after'],
  // In quotes, `nobody` is a user of the operating system.
  ['(?<![\'"`])(?:nobody|somebody|whoever|whomever|whatever)(?![\'"`:])', 'user, caller, process'],
].map(([phrase, instead]) => ({
  pattern: new RegExp(`\\b(?:${phrase.replaceAll(' ', '(?:\\s+(?:(?://|\\*|--|#)\\s+)?)')})\\b`, 'gi'),
  instead,
}));

/**
 * Returns the phrases of a text that have to be read twice.
 *
 * @returns for each one its line, the words found, and the words to write
 */
export function riddlesIn(text) {
  return PHRASES.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({
      line: text.slice(0, index).split('\n').length,
      found: found.replace(/\s+(?:(?:\/\/|\*|--|#)\s+)?/g, ' '),
      instead,
    })),
  );
}

function filesOf(place) {
  if (TEXTS.test(place)) return [place];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(place, entry.name);
    if (entry.name === 'node_modules') return [];
    return entry.isDirectory() ? filesOf(file) : TEXTS.test(file) ? [file] : [];
  });
}

/** Fails where a text has a phrase that has to be read twice. */
export function checkWords() {
  const found = PLACES.flatMap(filesOf)
    .filter((file) => !FOREIGN.test(file))
    .flatMap((file) =>
      riddlesIn(readFileSync(file, 'utf8')).map(
        ({ line, found, instead }) => `${file}:${line}: "${found}" (write: ${instead})`,
      ),
    );
  if (found.length > 0) throw new Error(`phrases that have to be read twice:\n  ${found.join('\n  ')}`);
}
