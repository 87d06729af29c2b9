import { departureOf, isFar, isReached, limitsOf } from '../../../../src/directory-sync/users/guard/guard.rules.js';
import { GUARD_DEFAULTS } from '../../../../src/directory-sync/directories/directory.js';
import type { Current, Decision } from '../../../../src/tenancy/identity/held.rules.js';

const PERSON = { email: 'a@e.com', first_name: 'A', last_name: 'B', role: 'User', external_id: 'e' };
const CURRENT: Current = {
  person: PERSON,
  status: 'active',
  seat: 'held',
  held: null,
  holdsDeparture: false,
  everActive: true,
};
const decision = (status: 'active' | 'inactive', seat: Decision['seat']): Decision => ({
  inForce: { ...PERSON, status },
  seat,
  held: null,
});

it.each([
  [12, { window: 10, day: 10 }],
  [60, { window: 12, day: 18 }],
  [64, { window: 12, day: 19 }],
  [1_000, { window: 200, day: 300 }],
  [100_000, { window: 200, day: 30_000 }],
])('lets a directory of %i users lose the share of its figures', (inForce, limits) => {
  expect(limitsOf(GUARD_DEFAULTS, { window: inForce, day: inForce })).toEqual(limits);
});

it('is reached by either window', () => {
  const limits = { window: 12, day: 18 };
  expect([isReached({ window: 11, day: 17 }, limits), isReached({ window: 12, day: 12 }, limits)]).toEqual([
    false,
    true,
  ]);
  expect(isReached({ window: 0, day: 18 }, limits)).toBe(true);
});

it('is far while all departures in flight at once still fit', () => {
  const limits = { window: 200, day: 300 };
  expect(isFar({ window: 100, day: 200 }, limits, 100)).toBe(true);
  expect(isFar({ window: 101, day: 101 }, limits, 100)).toBe(false);
  expect(isFar({ window: 0, day: 201 }, limits, 100)).toBe(false);
});

it.each([
  ['a deactivation', false, decision('inactive', 'none'), 'deactivated'],
  ['the loss of the role', true, decision('inactive', 'none'), 'role_lost'],
  ['the loss of the seat', true, decision('active', 'none'), 'seat_lost'],
  ['a change that takes nothing', true, decision('active', 'held'), null],
])('counts %s', (_, active, after, how) => {
  expect(departureOf(CURRENT, active, after)).toBe(how);
  expect(departureOf({ ...CURRENT, status: 'inactive', seat: 'none' }, active, after)).toBeNull();
});
