// Limits count Unicode code points, not UTF-16 units, as JSON Schema does.

/** Whether a text has more than `max` characters. */
export function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) if (++count > max) return true;
  return false;
}

/** Returns the first `max` characters of a text; never half of a surrogate pair, which a database cannot store. */
export function cutTo(text: string, max: number): string {
  if (text.length <= max) return text;
  let count = 0;
  let end = 0;
  for (const character of text) {
    if (++count > max) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

/**
 * Copies a text that is kept into memory of its own. V8 makes a part of a text by reference: an id that was cut out of a page
 * would keep the whole page.
 *
 * @param text well-formed: half of a surrogate pair would be replaced
 */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/**
 * Removes given characters from both ends of a text, by index: one step for each removed character. An expression such as `/
 * +$/` starts again at each blank of a run that is not at the end, which is quadratic.
 *
 * @param characters each one UTF-16 unit
 */
export function trimOf(text: string, characters: string): string {
  let from = 0;
  while (from < text.length && characters.includes(text[from]!)) from++;
  return trimEndOf(from === 0 ? text : text.slice(from), characters);
}

/** Removes given characters from the end of a text, by index; `characters` as for `trimOf`. */
export function trimEndOf(text: string, characters: string): string {
  let to = text.length;
  while (to > 0 && characters.includes(text[to - 1]!)) to--;
  return to === text.length ? text : text.slice(0, to);
}
