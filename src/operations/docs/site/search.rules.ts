/** A part of a page: its heading, and the text up to the next heading. */
export interface Section {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

/** Any caller can search, so letters are folded and beginnings of words marked once. */
export interface IndexedSection extends Section {
  readonly foldedHeading: string;
  readonly foldedText: string;
  readonly markedHeading: string;
  readonly markedText: string;
}

export function indexed(section: Section): IndexedSection {
  const foldedHeading = `${section.page} ${section.heading}`.toLowerCase();
  const foldedText = section.text.toLowerCase();
  const texts = { foldedHeading, foldedText, markedHeading: marked(foldedHeading), markedText: marked(foldedText) };
  return { ...section, ...texts };
}

/** Marks the beginnings of words, so that a word is found only there: `in` is no part of `binding`. */
function marked(text: string): string {
  return text.replace(/(?<![\p{L}\p{N}])/gu, MARK);
}

export interface Hit {
  readonly section: Section;
  readonly excerpt: string;
}

const HITS = 30;
const EXCERPT = 200;
/** Characters before the first found word, so that the reader sees its context. */
const BEFORE = 60;
/** An excerpt loses at most this number of characters in order to end with a whole word. */
const LAST_WORD = 40;
const MARK = '\u0000';

/**
 * Finds the sections that contain every word. First come those whose title or heading has the words as a phrase, then
 * those whose heading has all of the words, then those whose text has the phrase.
 *
 * @param query words with blanks between; case does not matter
 */
export function search(sections: readonly IndexedSection[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  const phrase = words.join(' ');
  const asked = { words: words.map(marked), phrase: marked(phrase) };
  const found = sections.flatMap((section) => {
    const { foldedHeading: heading, foldedText: text } = section;
    if (!words.every((word) => heading.includes(word) || text.includes(word))) return [];
    return [{ section, rank: rankOf(section, asked) }];
  });
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, HITS)
    .map(({ section }) => ({ section, excerpt: excerptOf(section, words, phrase) }));
}

function rankOf(
  { markedHeading, markedText }: IndexedSection,
  { words, phrase }: { words: readonly string[]; phrase: string },
): number {
  const named = words.filter((word) => markedHeading.includes(word)).length;
  return (
    (markedHeading.includes(phrase) ? 8 : 0) +
    (named === words.length ? 4 : 0) +
    (markedText.includes(phrase) ? 2 : 0) +
    named / words.length
  );
}

/** Returns where a word begins with a text, or null. */
function placeOf(text: string, wanted: string): number | null {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return at;
  }
  return null;
}

/** Returns whole words around the phrase, or else around the first of the words. */
function excerptOf({ text, foldedText }: IndexedSection, words: readonly string[], phrase: string): string {
  const places = [phrase, ...words].map((one) => placeOf(foldedText, one));
  const inside = foldedText.indexOf(words.find((word) => foldedText.includes(word)) ?? '');
  const at = places.find((place) => place !== null) ?? inside;
  const early = Math.max(0, at - BEFORE);
  const start = early === 0 ? 0 : Math.min(at, text.indexOf(' ', early) + 1);
  const piece = text.slice(start, start + EXCERPT);
  const end = piece.lastIndexOf(' ');
  const isCut = start + EXCERPT < text.length && end > EXCERPT - LAST_WORD;
  return isCut ? piece.slice(0, end) : piece;
}
