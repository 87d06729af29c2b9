const SCRIPTS = [
  'Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali', 'Thai', 'Georgian', 'Ethiopic', 'Cherokee',
  'Coptic', 'Lisu', 'Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const); // prettier-ignore

/** Scripts that one language writes side by side (UTS #39 §5.2, "highly restrictive"). */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/**
 * Returns why a text cannot be the name of a tenant; null: it can. Users of other companies decide by this name what they
 * approve: it must not look like another one.
 */
export function tenantNameProblem(name: string): string | null {
  if (/\p{Cf}/u.test(name)) return 'must not contain invisible characters of formats, such as zero-width blanks';
  const used = SCRIPTS.flatMap(([script, letters]) => (letters.test(name) ? [script] : []));
  if (used.length <= 1 || TOGETHER.some((some) => used.every((script) => some.includes(script)))) return null;
  return `must not mix letters of several scripts (${used.join(', ')})`;
}
