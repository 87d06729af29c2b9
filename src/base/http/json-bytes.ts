// The bytes of JSON that our scanners look at. In UTF-8 none of them is a part of another character.

/** The quote that begins and ends a text. */
export const QUOTE = 0x22;
/** The brace that begins an object. */
export const BRACE = 0x7b;
/** The brace that ends an object. */
export const END_BRACE = 0x7d;
/** The bracket that begins an array. */
export const BRACKET = 0x5b;
/** The bracket that ends an array. */
export const END_BRACKET = 0x5d;
/** The comma between members. */
export const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Returns the place of the quote that ends a text, or the end of the bytes. */
export function endOfText(bytes: Buffer, start: number): number {
  for (let i = start + 1; i < bytes.length; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  return bytes.length;
}

/**
 * Returns the text between two quotes; null where it is no JSON text. A name with escapes (`\\u0061`) is the same name.
 */
export function nameIn(bytes: Buffer, start: number, end: number): string | null {
  const text = bytes.toString('utf8', start + 1, end);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null; // The parser refuses the body.
  }
}
