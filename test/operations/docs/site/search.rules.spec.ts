import { indexed, search, type IndexedSection } from '../../../../src/operations/docs/site/search.rules.js';

const section = (heading: string, text: string): IndexedSection =>
  indexed({ page: 'Keys', heading, address: `#${heading}`, text });
const SECTIONS = [
  section('Backup', 'Keep the encryption key.'),
  section('Rotate the encryption key', 'Put a new key first.'),
  section('Limits', 'A body has 1 MiB.'),
];
const headings = (query: string) => search(SECTIONS, query).map((hit) => hit.section.heading);

it.each([
  ['finds every word, headings first', 'encryption KEY', ['Rotate the encryption key', 'Backup']],
  ['needs all words', 'encryption body', []],
  ['finds the name of the page', 'keys limits', ['Limits']],
  ['has no hit for nothing', '  ', []],
])('%s', (_, query, expected) => expect(headings(query)).toEqual(expected));

it('gives at most 30 hits, with a piece of the text', () => {
  const hits = search(Array.from({ length: 40 }, () => section('x', `${'a'.repeat(500)} word ${'b'.repeat(500)}`)), 'word'); // prettier-ignore
  expect(hits).toHaveLength(30);
  expect(hits[0]!.excerpt).toHaveLength(200);
  expect(hits[0]!.excerpt).toContain('word');
});
