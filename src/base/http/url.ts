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
  return text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
}
