/**
 * Removes given characters from both ends of a text, by index: one step a character removed. An expression such as
 * `/ +$/` starts anew at each blank of a run that is not at the end, which is quadratic.
 *
 * @param text any length
 * @param characters the characters that are removed, each one UTF-16 unit; all others stay, blanks included
 * @returns the rest, `''` where nothing else stands in the text
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
