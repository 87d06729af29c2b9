import { isPlain } from '../../../base/http/fields.js';

/** Words that belong to the name behind them, in any case of letters. */
const PARTICLES = new Set(
  'van von vom zu zum zur der den ter ten de del della dello degli dei da di do dos das du af av bin binti ibn'.split(
    ' ',
  ),
);

/** Words that do so in small letters, or behind another particle (`de la`): alone they are names as well. */
const ARTICLES = new Set('la las le les lo los el al san st t'.split(' '));

/** Words between two parts of a last name, in small letters. */
const CONJUNCTIONS = new Set(['y', 'e', 'i']);

/**
 * Splits a full name at its last space; particles stay with the name behind them (`Ludwig | van Beethoven`). A name of
 * one word has no last name.
 *
 * @returns both parts in NFC, without spaces around; two empty texts where the name is blank
 */
export function splitName(full: string): { firstName: string; lastName: string } {
  const space = full.indexOf(' ');
  // Two words, as most names are.
  if (space > 0 && full.indexOf(' ', space + 1) < 0 && isPlain(full)) {
    return { firstName: full.slice(0, space), lastName: full.slice(space + 1) };
  }
  const words = full
    .normalize('NFC')
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length < 2) return { firstName: words[0] ?? '', lastName: '' };
  let from = lastNameAt(words, words.length - 1);
  // Two names with a conjunction between are one last name: `de la Cruz y Peña`, `Costa e Silva`.
  while (from > 2 && CONJUNCTIONS.has(words[from - 1]!)) from = lastNameAt(words, from - 2);
  return { firstName: words.slice(0, from).join(' '), lastName: words.slice(from).join(' ') };
}

/** Returns where the last name begins that ends with a word, with its particles. */
function lastNameAt(words: readonly string[], end: number): number {
  let from = end;
  while (from > 1 && isParticle(words[from - 1]!, words[from - 2]!)) from--;
  return from;
}

function isParticle(word: string, before: string): boolean {
  const small = word.toLowerCase();
  if (PARTICLES.has(small)) return true;
  return ARTICLES.has(small) && (word === small || PARTICLES.has(before.toLowerCase()));
}
