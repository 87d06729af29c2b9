import { durationSeconds, readMoment } from '../../../src/protocols/saml/moment.js';

describe('readMoment', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.1Z', '2026-01-31T12:00:00.100Z'],
    ['2026-01-31T12:00:00.1239999Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00+02:00', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T23:00:00-02:30', '2026-02-01T01:30:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2026-01-31T12:00:00', null],
    ['2026-01-31', null],
    ['2026-02-29T00:00:00Z', null],
    ['2026-13-01T00:00:00Z', null],
    ['2026-01-31T24:00:00Z', null],
    ['2026-01-31T12:60:00Z', null],
    ['2026-01-31T12:00:60Z', null],
    ['2026-01-31T12:00:00+15:00', null],
    ['2026-01-31T12:00:00z', null],
    [' 2026-01-31T12:00:00Z', null],
    ['2026-01-31T12:00:00Z\n', null],
    ['Sat, 31 Jan 2026 12:00:00 GMT', null],
    ['1769860800', null],
    ['', null],
  ])('%s', (text, expected) => {
    expect(readMoment(text)?.toISOString() ?? null).toBe(expected);
  });
});

it.each([
  ['PT6H', 21_600],
  ['P1D', 86_400],
  ['P1DT2H3M4.5S', 93_784],
  ['P1Y2M', (365 + 60) * 86_400],
  ['PT0S', 0],
  [' PT1M ', 60],
  ['P', null],
  ['PT', null],
  ['-P1D', null],
  ['1D', null],
  ['P1H', null],
  ['', null],
  [null, null],
])('durationSeconds %j', (text, seconds) => {
  expect(durationSeconds(text)).toBe(seconds);
});
