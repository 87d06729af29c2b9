/**
 * Removes given characters from both ends of a text, by index: one step for each removed character. An expression such
 * as `/ +$/` starts again at each blank of a run that is not at the end, which is quadratic.
 *
 * @param text any length
 * @param characters the characters to remove, each one UTF-16 unit
 * @returns the rest; `''` where nothing is left
 */
export function trimOf(text: string, characters: string): string {
  let from = 0;
  while (from < text.length && characters.includes(text[from]!)) from++;
  return trimEndOf(from === 0 ? text : text.slice(from), characters);
}

/**
 * Removes given characters from the end of a text, by index.
 *
 * @param text any length
 * @param characters as for `trimOf`
 */
export function trimEndOf(text: string, characters: string): string {
  let to = text.length;
  while (to > 0 && characters.includes(text[to - 1]!)) to--;
  return to === text.length ? text : text.slice(0, to);
}
