/** The most characters of an address: twice as many as IdPs and platforms use. */
export const MAX_URL = 2_048;

/**
 * Parses an absolute address.
 *
 * @param text any length; a text of more than 2,048 characters is not parsed, since the host of an address is composed
 * (UTS #46), which takes quadratic time for a run of combining marks
 * @returns the address, or null where the text is none or is too long
 */
export function urlOf(text: string): URL | null {
  return text.length <= MAX_URL ? parsedUrl(text) : null;
}

/**
 * Parses an address of a bounded length. `URL.canParse` is not used: after some thousand calls, that of Node.js 20 returns false
 * for each address with a character between U+0080 and U+00FF.
 *
 * @param base resolves a relative address
 * @returns the address, or null where the text is none
 */
export function parsedUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
