/** The most characters of an address that is read: twice what IdPs and platforms use. */
export const MAX_URL = 2_048;

/**
 * Reads an absolute address from outside.
 *
 * @param text any length; past 2,048 characters it is not read, since the host of an address is composed (UTS #46),
 *   which takes quadratic time for a run of combining marks
 * @returns the address, or null where the text is none or is too long
 */
export function urlOf(text: string): URL | null {
  return text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
}
