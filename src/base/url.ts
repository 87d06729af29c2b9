/** The most characters of an address: twice as many as IdPs and platforms use. */
export const MAX_URL = 2_048;

/**
 * Parses an absolute address; null for any other text. A text of more than 2,048 characters is not parsed: the host of an
 * address is composed (UTS #46), which takes quadratic time for a run of combining marks.
 */
export function urlOf(text: string): URL | null {
  return text.length <= MAX_URL ? parsedUrl(text) : null;
}

/**
 * Parses an address of a bounded length; null where the text is none. `URL.canParse` is not used: after some thousand calls,
 * that of Node.js 20 returns false for each address with a character between U+0080 and U+00FF.
 */
export function parsedUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
