import { secretEnd } from '../../../src/directory-sync/clients/client-secret.rules.js';

const NOW = new Date('2026-03-01T00:00:00Z');
const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

it('ends in a year unless set', () => {
  expect(secretEnd(undefined, NOW)).toEqual(inDays(365));
  expect(secretEnd(inDays(1_096), NOW)).toEqual(inDays(1_096));
});

it.each([
  ['in the past', -1],
  ['now', 0],
  ['after more than three years', 1_100],
])('does not end %s', (_, days) => expect(() => secretEnd(inDays(days), NOW)).toThrow('Some fields are not valid.'));
