import { isWeak, keysIn } from '../../../src/base/config/keys.rules.js';

test('reads the bytes of each key of a list, with and without a name', () => {
  const [one, two] = [Buffer.from('first key'), Buffer.from('second key')];
  expect(keysIn(`k1:${one.toString('base64')}, ${two.toString('base64')}`)).toEqual([one, two]);
});

test.each([
  ['has one byte again and again', Buffer.alloc(32, 7)],
  ['has few different bytes', Buffer.from('abababacabababacabababacabababac')],
  ['repeats a pattern', Buffer.from('0123456789abcdef0123456789abcdef')],
  ['rises by one step', Buffer.from(Array.from({ length: 32 }, (_, i) => 10 + i))],
  ['falls by one step', Buffer.from(Array.from({ length: 32 }, (_, i) => 200 - 3 * i))],
])('calls a secret weak when it %s', (_why, secret) => {
  expect(isWeak(secret)).toBe(true);
});

test.each(['9f86d081884c7d65', 'c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2'])(
  'calls %s random',
  (text) => {
    expect(isWeak(Buffer.from(text))).toBe(false);
  },
);
