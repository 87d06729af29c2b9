import { DocumentTooLarge, MAX_DOCUMENT_BYTES, storedDocument } from '../../../src/directory-sync/users/user.row.js';

/** A document whose text has `bytes` bytes. */
const of = (bytes: number, more: object = { active: false }): object => {
  const bare = Buffer.byteLength(JSON.stringify({ ...more, x: '' }));
  return { ...more, x: 'x'.repeat(bytes - bare) };
};
const asStored = (document: object): string => JSON.stringify(document, null, 1);

it('gives the text and its bytes, and counts bytes and not characters', () => {
  expect(storedDocument({ a: 'ä€' }, null)).toEqual({ text: '{"a":"ä€"}', bytes: 13 });
  expect(() => storedDocument({ a: '€'.repeat(MAX_DOCUMENT_BYTES / 2) }, null)).toThrow(DocumentTooLarge);
});

it.each<[string, boolean, object, object | null]>([
  ['of the limit', true, of(MAX_DOCUMENT_BYTES), null],
  ['over the limit', false, of(MAX_DOCUMENT_BYTES + 1), null],
  ['over the limit, and none before was', false, of(MAX_DOCUMENT_BYTES + 1), of(MAX_DOCUMENT_BYTES)],
  ['over the limit, without a change', true, of(300_000), of(300_000)],
  ['over the limit, and smaller', true, of(299_999), of(300_000)],
  ['over the limit, and larger', false, of(300_001), of(300_000)],
])('a document %s: taken %p', (_, taken, document, before) => {
  const write = () => storedDocument(document, before && asStored(before));
  if (taken) expect(write().bytes).toBe(JSON.stringify(document).length);
  else expect(write).toThrow(DocumentTooLarge);
});

it('has room for a deactivation after each value of `active`', () => {
  for (const more of [{}, { active: true }, { active: false }]) {
    let size = MAX_DOCUMENT_BYTES - 40;
    let full = of(size, more);
    for (;;) {
      try {
        storedDocument(of(size + 1, more), null);
      } catch {
        break;
      }
      full = of(++size, more);
    }
    expect(() => storedDocument({ ...full, active: false }, asStored(full))).not.toThrow();
  }
});

it('names the limit, the size and the advice', () => {
  try {
    storedDocument(of(300_000), null);
    throw new Error('was taken');
  } catch (error) {
    const { code, detail, extras } = error as DocumentTooLarge;
    expect([code, extras.members]).toEqual(['document_too_large', { limit: 262_144, bytes: 300_000 }]);
    expect(detail).toMatch(/300000 bytes.*262144.*Send shorter or fewer/);
  }
});
