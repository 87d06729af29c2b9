import {
  addsData,
  isDeparture,
  isLogFull,
  nextMeasurement,
  restAfter,
  storageStateOf,
  type StorageState,
} from '../../../../src/tenancy/tenants/storage/storage.rules.js';

describe('the state of a storage', () => {
  it.each<[number, number | null, StorageState, StorageState]>([
    [79, 100, 'ok', 'ok'],
    [80, 100, 'ok', 'approaching'],
    [100, 100, 'ok', 'exhausted'],
    [99, 100, 'exhausted', 'exhausted'],
    [97, 100, 'exhausted', 'approaching'],
    [79, 100, 'approaching', 'approaching'],
    [77, 100, 'approaching', 'ok'],
    [10, 100, 'exhausted', 'ok'],
    [1e15, null, 'exhausted', 'ok'],
  ])('with %d of %d bytes after %s is %s', (used, limit, before, state) => {
    expect(storageStateOf(used, limit, before)).toBe(state);
  });
});

it.each<[number, number | null, boolean]>([
  [9, 100, false],
  [10, 100, true],
  [1e15, null, false],
])('a log of requests with %d bytes under a limit of %d is full: %s', (used, limit, full) => {
  expect(isLogFull(used, limit)).toBe(full);
});

describe('a request adds data', () => {
  it.each<[boolean, string, string[], boolean]>([
    [false, 'GET', ['users:read'], false],
    [false, 'HEAD', ['users:read'], false],
    [false, 'DELETE', ['admin'], false],
    [true, 'POST', ['candidates:write'], false],
    [true, 'PATCH', ['admin'], false],
    [true, 'PUT', [], false],
    [false, 'POST', ['seats:read'], false],
    [false, 'POST', ['candidates:write'], true],
  ])('%s: %s with %j, marked: %s', (adds, method, scopes, passes) => {
    expect(addsData(method, scopes, passes)).toBe(adds);
  });
});

describe('a departure', () => {
  const doc = '{"roles": ["a", "b"], "nickName": "n"}';
  it.each<[boolean, string, boolean, object, boolean]>([
    [true, 'deactivates and adds', true, { active: false, doc: { nickName: 'n'.repeat(100) } }, true],
    [true, 'removes a role', true, { active: true, doc: { roles: ['a'], nickName: 'n' } }, true],
    [false, 'changes nothing in size', true, { active: true, doc: { roles: ['a', 'c'], nickName: 'n' } }, true],
    [false, 'activates and removes', false, { active: true, doc: {} }, true],
    [false, 'adds to an inactive user', false, { active: false, doc: { nickName: 'n'.repeat(100) } }, true],
  ])('%s when a write %s', (departs, _, active, after) => {
    expect(isDeparture({ active, doc }, after as { active: boolean; doc: object })).toBe(departs);
  });
});

it('measures a tenant once a day, and an exhausted one after twenty times the duration of the measurement', () => {
  expect(nextMeasurement('ok', 40)).toBe(86_400);
  expect(nextMeasurement('exhausted', 0.1)).toBe(10);
  expect(nextMeasurement('approaching', 40)).toBe(800);
  expect([restAfter(0.01), restAfter(3), restAfter(1e6)]).toEqual([1, 60, 86_400]);
});
