// Comparison of text by the rules of SCIM. Every function here has an SQL form, and the two must agree on every string:
// either of them can answer a filter.

/**
 * Converts to lower case, code point by code point, like PostgreSQL's `lower()` under C.UTF-8. `toLowerCase` differs
 * for two characters only: final sigma depends on its neighbours, and İ (U+0130) becomes two code points.
 */
export function foldCase(text: string): string {
  if (!text.includes('\u03a3') && !text.includes('\u0130')) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character === '\u0130' ? 'i' : character.toLowerCase();
  return folded;
}

/** A user name has at most 512 characters; composing shortens a text to a quarter at most. */
const MOST_COMPOSED = 4_096;

/**
 * Invisible code points: soft hyphen, zero-width and directional marks, fillers, variation selectors, tags
 * (Default_Ignorable_Code_Point). PRECIS forbids them in user names (RFC 8264 §9.13): two names of the same look would
 * be two users. The pattern is valid in PostgreSQL and JavaScript.
 */
export const IGNORABLE =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufff8';
const IGNORABLES = new RegExp(`[${IGNORABLE}\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]+`, 'gu');

/**
 * Returns the form in which user names are compared (RFC 7644 §5, PRECIS UsernameCaseMapped, RFC 8265 §3.3): width
 * mapping, case mapping, composition; without invisible characters, and with single blanks between words. `ＢＪＥＮＳＥＮ` is
 * `bjensen`, and so is `bjensen ` with a zero-width space.
 *
 * @returns '' for a text without visible characters
 */
export function userNameKey(text: string): string {
  // No stored name is so long. Composing a run of combining marks takes quadratic time (UAX #15 §3).
  if (text.length > MOST_COMPOSED) return foldCase(text);
  if (isAscii(text)) return singleBlanks(foldCase(text));
  return singleBlanks(foldCase(text.normalize('NFKC')).replace(IGNORABLES, '').normalize('NFC'));
}

/** Puts one blank between words. All kinds of blanks but three are U+0020 after NFKC. */
function singleBlanks(text: string): string {
  if (!/[\t-\r \u1680\u2028\u2029]/.test(text)) return text;
  return text
    .split(/[\t-\r \u1680\u2028\u2029]/)
    .filter((word) => word !== '')
    .join(' ');
}

/** Compares by Unicode code point: like `collate "C"` on UTF-8, and unlike `<` on UTF-16 strings. */
export function compareCodePoints(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return orderOfUnit(x) - orderOfUnit(y);
  }
  return a.length - b.length;
}

/**
 * Returns the rank of a UTF-16 unit. Surrogates represent the highest code points, but their units are below
 * U+E000…U+FFFF.
 */
function orderOfUnit(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}

/** Returns false for text that a database cannot store: U+0000, or half of a surrogate pair. */
export function isStorable(text: string): boolean {
  // Node 20 has isWellFormed; the ES2023 library does not declare it.
  return !text.includes('\u0000') && (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}

const FIRST_MOMENT = Date.parse('0001-01-01T00:00:00Z');
const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z');
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,12})?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Returns the milliseconds since 1970 of an xsd:dateTime (RFC 7643 §2.3.5), or NaN. Without a zone the time is UTC. A
 * moment outside the UTC years 1 to 9999 is NaN: an offset can lead to one, and the database cannot read it.
 */
export function parseDateTime(text: string): number {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return Number.NaN;
  const day = Number(parts[3]);
  // Date.parse reads 30 February as 1 March.
  if (day > new Date(Date.UTC(Number(parts[1]), Number(parts[2]), 0)).getUTCDate()) return Number.NaN;
  const time = Date.parse(parts[4] === undefined ? `${text}Z` : text);
  return time >= FIRST_MOMENT && time <= LAST_MOMENT ? time : Number.NaN;
}
