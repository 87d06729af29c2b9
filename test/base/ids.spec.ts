import { newId, timeOfId } from '../../src/base/ids.js';

it.each([0, 1, 1_767_225_600_123, 2 ** 50 - 1])('reads the time %d in an id', (time) => {
  expect(timeOfId(newId('req', time))).toBe(time);
});

it.each(['', 'req_', 'req_short', `${newId('req')}0`, newId('req').toUpperCase(), `req_${'u'.repeat(26)}`, 'chg_42'])(
  'reads no time in %j',
  (text) => expect(timeOfId(text)).toBeNull(),
);
