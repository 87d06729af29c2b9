import { indexed, search, type IndexedSection } from '../../../../src/operations/docs/site/search.rules.js';

const section = (heading: string, text: string): IndexedSection =>
  indexed({ page: 'Keys', heading, address: `#${heading}`, text });
const SECTIONS = [
  section('Backup', 'Keep the encryption key.'),
  section('Rotate the encryption key', 'Put a new key first.'),
  section('Limits', 'A body has 1 MiB.'),
  section('Take a new key', 'Once a year.'),
];
const headings = (query: string) => search(SECTIONS, query).map((hit) => hit.section.heading);

it.each([
  ['finds every word, headings first', 'encryption KEY', ['Rotate the encryption key', 'Backup']],
  ['needs all words', 'encryption body', []],
  ['finds the name of the page', 'keys limits', ['Limits']],
  ['has no hit for nothing', '  ', []],
  ['has headings with the phrase before texts with it', 'a new key', ['Take a new key', 'Rotate the encryption key']],
])('%s', (_, query, expected) => expect(headings(query)).toEqual(expected));

it('gives at most 30 hits, with a piece of the text', () => {
  const hits = search(Array.from({ length: 40 }, () => section('x', `${'a'.repeat(500)} word ${'b'.repeat(500)}`)), 'word'); // prettier-ignore
  expect(hits).toHaveLength(30);
  expect(hits[0]!.excerpt).toHaveLength(200);
  expect(hits[0]!.excerpt).toContain('word');
});

it('has a phrase in a text before the words of it in other places', () => {
  const texts = [
    'Signing in, which a user cannot do at night.',
    'A binding: the sign cannot be read.',
    'A user cannot sign in.',
  ];
  const hits = search(texts.map((text, place) => section(String(place), text)), 'cannot sign in'); // prettier-ignore
  expect(hits.map((hit) => hit.section.heading)).toEqual(['2', '0', '1']);
});

it('begins and ends an excerpt with whole words, and keeps hyphens', () => {
  const [hit] = search(
    [section('x', `${'before '.repeat(30)}a just-in-time user${' after'.repeat(60)}`)],
    'just-in-time',
  );
  expect(hit!.excerpt).toMatch(/^(before )+a just-in-time user( after)+$/);
  expect(hit!.excerpt.length).toBeLessThanOrEqual(200);
});
