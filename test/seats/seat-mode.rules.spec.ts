import { nextSeatMode, type SeatMode, type SeatModeEvent } from '../../src/seats/seat-mode.rules.js';

const MODES: readonly SeatMode[] = ['unlimited', 'open', 'exact'];
const EVENTS: readonly [name: string, event: SeatModeEvent, after: Record<SeatMode, SeatMode>][] = [
  ['a limit is set', { kind: 'limit_changed', limit: 10 }, { unlimited: 'exact', open: 'exact', exact: 'exact' }],
  ['a limit of 0 is set', { kind: 'limit_changed', limit: 0 }, { unlimited: 'exact', open: 'exact', exact: 'exact' }],
  ['the limit is removed', { kind: 'limit_changed', limit: null }, { unlimited: 'unlimited', open: 'unlimited', exact: 'unlimited' }],
  ['a claim counts under the lock', { kind: 'counted' }, { unlimited: 'unlimited', open: 'exact', exact: 'exact' }],
  ['the limit is far', { kind: 'measured', free: 400, inFlight: 100 }, { unlimited: 'unlimited', open: 'open', exact: 'open' }],
  ['the limit is near', { kind: 'measured', free: 399, inFlight: 100 }, { unlimited: 'unlimited', open: 'open', exact: 'exact' }],
]; // prettier-ignore

describe.each(EVENTS)('when %s', (_, event, after) => {
  it.each(MODES)('the mode %s becomes the expected one', (mode) => {
    expect(nextSeatMode(mode, event)).toBe(after[mode]);
  });
});
