import { accountRefusal, mayAdopt, weightiest, type LinkedBy } from '../../../src/tenancy/identity/adoption.rules.js';

describe('mayAdopt', () => {
  const rows: [LinkedBy, 'in force' | 'out of force', 'comes in' | 'stays out', boolean][] = [
    ['id', 'in force', 'comes in', true],
    ['id', 'out of force', 'comes in', true],
    ['external_id', 'in force', 'comes in', true],
    ['external_id', 'out of force', 'comes in', true],
    ['external_id', 'out of force', 'stays out', true],
    ['user_name', 'in force', 'comes in', true],
    ['user_name', 'out of force', 'comes in', true],
    ['email', 'in force', 'comes in', true],
    ['email', 'in force', 'stays out', true],
    ['email', 'out of force', 'comes in', false],
    ['email', 'out of force', 'stays out', true],
  ];
  it.each(rows)('by %s, a user %s, by a write that %s: %s', (by, state, write, expected) => {
    expect(mayAdopt({ by, inForce: state === 'in force' }, write === 'stays out')).toBe(expected);
  });
});

describe('accountRefusal', () => {
  it.each([
    ['active', null, null, null],
    ['active', 'E', 'E', null],
    ['active', '', 'E', null],
    [null, null, 'E', null],
    ['active', 'E', null, 'another_external_id'],
    ['active', 'E', 'F', 'another_external_id'],
    ['inactive', null, null, 'account_inactive'],
    ['inactive', 'F', 'E', 'another_external_id'],
    ['suspended', 'E', 'E', 'account_inactive'],
  ])('a %s account with external_id %s, for a user with %s: %s', (status, external, own, expected) => {
    expect(accountRefusal({ status, externalId: external }, own)).toBe(expected);
  });
});

it('names the weightiest ground', () => {
  expect(weightiest(['email', 'external_id'])).toBe('external_id');
  expect(weightiest(['email', 'external_id', 'user_name'])).toBe('user_name');
  expect(weightiest([])).toBeNull();
});
