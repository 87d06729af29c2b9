import { nearest } from '../../../src/overview/now/expiries.rules.js';

it('returns what ends first, of credentials and certificates', () => {
  const one = (kind: string, at: Date | string) => ({ kind, id: 'x', name: kind, expires_at: at as Date });
  const found = nearest(
    [
      one('api_key', '2026-03-02T00:00:00+00:00'),
      one('scim_token', '2026-03-04T00:00:00+00:00'),
      one('certificate', new Date('2026-03-01T00:00:00Z')),
    ],
    2,
  );
  expect(found.map(({ kind }) => kind)).toEqual(['certificate', 'api_key']);
  expect(found[1]!.expires_at).toEqual(new Date('2026-03-02T00:00:00Z'));
});
