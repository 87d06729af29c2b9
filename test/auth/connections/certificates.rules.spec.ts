import { expiryNotes, pinned } from '../../../src/auth/connections/certificates.rules.js';
import { slugFrom } from '../../../src/auth/connections/slug.rules.js';
import { long } from '../../support/rounds.js';
import { base64, certificate } from './support/metadata.js';

const DAY = 86_400_000;
const now = new Date('2026-06-01T12:00:00Z');
const before = (days: number) => new Date(now.getTime() - days * DAY);
const within = (days: number) => certificate(new Date(now.getTime() + days * DAY));

describe('certificates that are pinned', () => {
  long('are stored once each, in one spelling, with the time since when they are known', async () => {
    const [one, other] = [await certificate(), await certificate()];
    const first = pinned([one, base64(one), `\n${one}\n`], [], before(9));
    if ('problem' in first) throw new Error(first.problem);
    expect(first.certificates).toHaveLength(1);
    const second = pinned([other, base64(one)], first.certificates, now);
    expect(second).toEqual({
      certificates: [{ pem: expect.any(String), added_at: now.toISOString() }, first.certificates[0]],
    });
  });

  it('are accepted after their end, and named by their place when they are invalid', async () => {
    const expired = await certificate(new Date('2021-01-01'));
    expect(pinned([expired], [], now)).toHaveProperty('certificates');
    expect(pinned([expired, 'nonsense'], [], now)).toEqual({ problem: expect.stringMatching(/^certificate 2 of 2 /) });
  });
});

describe('the words for the end of a certificate', () => {
  const notes = async (end: number, added: number, last: number | null) =>
    expiryNotes(
      [{ pem: await within(end), added_at: before(added).toISOString() }],
      last === null ? null : before(last),
      now,
    ).map(({ days }) => days);

  it.each<[string, number, number, number | null, number[]]>([
    ['far away', 61, 400, 1, []],
    ['a mark passed since yesterday', 59.5, 400, 1, [60]],
    ['the same mark passed before', 58, 400, 1, []],
    ['several marks passed since the last look: the nearest', 6.5, 400, 60, [7]],
    ['its end', -0.5, 400, 1, [0]],
    ['its end long ago', -30, 400, 1, []],
    ['never looked at', 20, 400, null, [30]],
    ['pinned since the last look', 20, 0.5, 1, [30]],
    ['pinned before the last look', 20, 2, 1, []],
  ])('%s', async (_, end, added, last, expected) => expect(await notes(end, added, last)).toEqual(expected));
});

describe('a slug out of a name', () => {
  const random = Uint8Array.from({ length: 8 }, (_, i) => i);
  it.each([
    ['Okta', 'okta-abcdefgh'],
    ['  Größe & Söhne GmbH ', 'gro-e-sohne-gmbh-abcdefgh'],
    ['日本', 'abcdefgh'],
    ['x'.repeat(200), `${'x'.repeat(40)}-abcdefgh`],
  ])('%s', (name, slug) => {
    expect(slugFrom(name, random)).toBe(slug);
    expect(slug).toMatch(/^[a-z0-9-]{3,63}$/);
  });
});
