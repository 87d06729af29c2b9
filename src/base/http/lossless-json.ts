import { faultIn } from './json-faults.js';
import { countMemberNames, namesOf } from './json-names.js';

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;

/** Whole numbers of up to this number of digits are exact as numbers. */
const EXACT_DIGITS = 15;
/** What stands before a number keeps ids in texts, with their many digits, from being looked at. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d{16}/;

/** A body that is not read: no JSON, nested too deep, or an object that names a member twice. Never holds data of it. */
export class NotJson extends Error {}

/**
 * Parses JSON of another system. A whole number of more than 15 digits becomes text: as a number it would lose digits,
 * and it is an id.
 *
 * @param body UTF-8 bytes, or their text
 * @throws {NotJson} with the reason in words
 */
export function parseLossless(body: Buffer | string): unknown {
  const text = typeof body === 'string' ? body : utf8Of(body);
  const names = countMemberNames(text);
  const value = names === null ? undefined : parsed(text);
  // Of two members with one name the parser keeps one.
  if (value === undefined || namesOf(value) !== names) throw new NotJson(faultOf(text));
  return value;
}

/** Returns undefined where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    const isLong = hasManyDigits(text) && LONG_NUMBER.test(text);
    return JSON.parse(isLong ? withLongNumbersAsText(text) : text) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Returns whether a text has more than {@link EXACT_DIGITS} digits in a row. One of them stands at a multiple of 16, so
 * that a search looks at one character of 16.
 */
function hasManyDigits(text: string): boolean {
  const many = EXACT_DIGITS + 1;
  for (let i = many - 1; i < text.length; i += many) {
    if (!isDigit(text.charCodeAt(i))) continue;
    let [start, end] = [i, i + 1];
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start--;
    while (end - start < many && end < text.length && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= many) return true;
  }
  return false;
}

function faultOf(text: string): string {
  const fault = faultIn(Buffer.from(text, 'utf8'));
  if (fault === null) return 'The body is no JSON.';
  // The text of a fault names a member, which comes from outside.
  return fault.includes('twice') ? 'An object names a member twice.' : fault;
}

function utf8Of(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new NotJson('The body is not UTF-8.');
  }
}

/** Puts quotes around long whole numbers, in one pass. What is no JSON stays none. */
function withLongNumbersAsText(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  for (let i = 0; i < text.length;) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = afterString(text, i);
    } else if (isDigit(code) || code === MINUS) {
      const end = afterNumber(text, i);
      if (isLongWhole(text, i, end) && !isMemberName(text, end)) {
        parts.push(text.slice(kept, i), '"', text.slice(i, end), '"');
        kept = end;
      }
      i = end;
    } else {
      i++;
    }
  }
  return parts.join('') + text.slice(kept);
}

function afterString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === BACKSLASH) i++;
    else if (code === QUOTE) return i + 1;
  }
  return text.length;
}

/** Returns the end of what a number may consist of, so that a fraction is never taken for a whole number. */
function afterNumber(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && (isDigit(text.charCodeAt(i)) || '.eE+-'.includes(text[i]!))) i++;
  return i;
}

function isLongWhole(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
  if (end - first <= EXACT_DIGITS || text.charCodeAt(first) === ZERO) return false;
  for (let i = first; i < end; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return true;
}

/** A number cannot name a member: with quotes it would. */
function isMemberName(text: string, end: number): boolean {
  let i = end;
  while (i < text.length && ' \t\r\n'.includes(text[i]!)) i++;
  return text[i] === ':';
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE;
}
