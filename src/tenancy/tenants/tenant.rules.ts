import { urlOf } from '../../base/url.js';

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Devanagari',
  'Bengali',
  'Thai',
  'Georgian',
  'Ethiopic',
  'Cherokee',
  'Coptic',
  'Lisu',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Bopomofo',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const);
// prettier-ignore

/** Scripts that one language writes side by side (UTS #39 §5.2, "highly restrictive"). */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/** Signs of a check: dingbats, emoji, and the square root, which looks like a tick. */
const SIGNS = /[\u2600-\u27bf\u221a\u237b\u2b50\ufe0f\u{1f000}-\u{1faff}\u{1fbb1}]/u;
/** Words of approval, and the name of this service, reduced to letters. */
const CLAIMS = /(?:verified|certified|approved|authori[sz]ed|endorsed|confirmed|trusted|checked)by|talentbridge/;
/** Digits that are read as letters. */
const READ_AS: Readonly<Record<string, string>> = { '0': 'o', '1': 'i', '3': 'e', '4': 'a', '5': 's', '7': 't' };

/**
 * Returns why a text cannot be the name of a tenant, or null. Users of other companies decide by this name what they
 * approve: it must neither look like another one nor claim a check.
 */
export function tenantNameProblem(name: string): string | null {
  if (/\p{Cf}/u.test(name)) return 'must not contain invisible characters of formats, such as zero-width blanks';
  if (SIGNS.test(name)) return 'must not contain signs such as ✓';
  if (CLAIMS.test(lettersOf(name))) {
    return 'must not say who has verified it, and must not contain the name of this service';
  }
  const used = SCRIPTS.flatMap(([script, letters]) => (letters.test(name) ? [script] : []));
  if (used.length <= 1 || TOGETHER.some((some) => used.every((script) => some.includes(script)))) return null;
  return `must not mix letters of several scripts (${used.join(', ')})`;
}

function lettersOf(name: string): string {
  const plain = name.normalize('NFKD').toLowerCase();
  return plain.replace(/[013457]/g, (digit) => READ_AS[digit]!).replace(/[^\p{L}]/gu, '');
}

const HELP_MAX = 2_048;

/** Returns the problem of a tenant's help link, or null. */
export function helpUrlProblem(value: unknown): string | null {
  const url = typeof value === 'string' && value.length <= HELP_MAX ? urlOf(value) : null;
  if (url === null || !/^(https|mailto):$/.test(url.protocol)) {
    return `must be an https or mailto address of at most ${HELP_MAX} characters, such as mailto:it@acme.example`;
  }
  if (url.protocol === 'mailto:')
    return /^[^@\s]+@[^@\s]+$/.test(url.pathname) ? null : 'must name an e-mail after mailto:';
  return url.username + url.password === '' ? null : 'must not contain a user name or password';
}

export const HELP_URL = {
  type: String,
  format: 'uri',
  example: 'mailto:it@acme.example',
  description:
    'Where users get help with signing in, https or mailto; a link on the pages of the sign-in. null: no link.',
};
