import { cutTo } from '../../base/characters.js';

export interface NameParts {
  givenName?: string;
  familyName?: string;
  formatted?: string;
  displayName?: string;
}

/**
 * Returns first and last name for the platform: given and family name if one of them is present, else the split
 * formatted or display name, else the local part of the e-mail or the user name. A single word is a first name with an
 * empty last name.
 */
export function platformNames(
  parts: NameParts,
  email: string | null,
  userName: string,
): { first_name: string; last_name: string } {
  const given = clean(parts.givenName);
  const family = clean(parts.familyName);
  if (given || family) return given ? { first_name: given, last_name: family } : { first_name: family, last_name: '' };
  const whole = clean(parts.formatted) || clean(parts.displayName);
  if (whole) return split(whole);
  const source = email ?? userName;
  const at = source.lastIndexOf('@');
  const local = at > 0 ? source.slice(0, at) : source;
  const words = local.split(/[._\-+\s]+/).filter((word) => word !== '');
  return split(clean(words.map(capitalised).join(' ')) || clean(userName) || userName);
}

/** Returns the form of a name for the platform: trimmed, NFC, without control characters, at most 200 characters. */
export function clean(text: string | undefined): string {
  return cutTo(tidyEmail(text), 200).trimEnd();
}

/**
 * Composing a run of combining marks takes quadratic time (UAX #15 §3), and a document can contain 256 KiB of them.
 * Composing shortens a text to a quarter at most, so the rest is longer than any name (200) or e-mail (320).
 */
const MOST_COMPOSED = 2_048;

/**
 * Like {@link clean} without the limit of 200 characters, for e-mail addresses. Cuts a text after 2,048 characters.
 */
export function tidyEmail(whole: string | undefined): string {
  if (whole === undefined) return '';
  const text = cutTo(whole, MOST_COMPOSED);

  const plain = /[\u0000-\u001f\u007f-\u009f]/.test(text) ? text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ') : text;
  const trimmed = plain.trim();
  return isAscii(trimmed) ? trimmed : trimmed.normalize('NFC');
}

function split(whole: string): { first_name: string; last_name: string } {
  // Many directories format a name as "Jensen, Barbara".
  const comma = whole.indexOf(',');
  if (comma > 0 && whole.indexOf(',', comma + 1) < 0) {
    const last = whole.slice(0, comma).trim();
    const first = whole.slice(comma + 1).trim();
    if (first && last && !/^(jr|sr|ii|iii|iv|phd|md)\.?$/i.test(first)) return { first_name: first, last_name: last };
  }
  const space = whole.search(/\s/);
  if (space < 0) return { first_name: whole, last_name: '' };
  return { first_name: whole.slice(0, space), last_name: whole.slice(space).trim() };
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
