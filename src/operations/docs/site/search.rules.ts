/** A part of a page: its heading, and the text up to the next heading. */
export interface Section {
  readonly page: string;
  readonly heading: string;
  readonly address: string;
  readonly text: string;
}

/** A section as the search reads it: any caller can search, so letters are folded once and not for each search. */
export interface IndexedSection extends Section {
  readonly foldedHeading: string;
  readonly foldedText: string;
}

/** Returns a section prepared for the search. */
export function indexed(section: Section): IndexedSection {
  const foldedHeading = `${section.page} ${section.heading}`.toLowerCase();
  return { ...section, foldedHeading, foldedText: section.text.toLowerCase() };
}

/** A section that has all words of a search, and a piece of its text. */
export interface Hit {
  readonly section: Section;
  readonly excerpt: string;
}

const HITS = 30;
const EXCERPT = 200;

/**
 * Finds the sections that contain every word, those with a word in the heading first.
 *
 * @param query words with blanks between; case does not matter
 */
export function search(sections: readonly IndexedSection[], query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, 8);
  if (words.length === 0) return [];
  const found = sections.flatMap((section) => {
    const { foldedHeading: heading, foldedText: text } = section;
    if (!words.every((word) => heading.includes(word) || text.includes(word))) return [];
    const rank = words.filter((word) => heading.includes(word)).length;
    const start = Math.max(0, text.indexOf(words.find((word) => text.includes(word)) ?? '') - 60);
    return [{ rank, hit: { section, excerpt: section.text.slice(start, start + EXCERPT) } }];
  });
  return found
    .sort((a, b) => b.rank - a.rank)
    .slice(0, HITS)
    .map(({ hit }) => hit);
}
