import { SealError, Sealer } from '../../../src/base/crypto/seal.js';

const key = (byte: number, id: string) => ({ id, key: Buffer.alloc(32, byte) });
const sealer = new Sealer([key(1, 'a')]);
const AAD = 'ten_1:destinations.key';

it('opens its own secrets, in any script', () => {
  for (const text of ['', 'secret', 'ключ 🔑', 'x'.repeat(100_000)]) {
    expect(sealer.unseal(sealer.seal(text, AAD), AAD)).toBe(text);
  }
});

it('never seals alike twice, and names the key', () => {
  const [one, two] = [sealer.seal('x', AAD), sealer.seal('x', AAD)];
  expect(one).not.toBe(two);
  expect(sealer.keyIdOf(one)).toBe('a');
});

it('keeps opening with older keys, and seals with the first', () => {
  const old = sealer.seal('secret', AAD);
  const rotated = new Sealer([key(2, 'b'), key(1, 'a')]);
  expect(rotated.unseal(old, AAD)).toBe('secret');
  expect(rotated.keyIdOf(rotated.seal('secret', AAD))).toBe('b');
});

it('refuses a secret that was moved, changed, or sealed with a removed key', () => {
  const sealed = sealer.seal('secret', AAD);
  const swapped = sealed.slice(0, 20) + (sealed[20] === 'A' ? 'B' : 'A') + sealed.slice(21);
  expect(() => sealer.unseal(sealed, 'ten_2:destinations.key')).toThrow(SealError);
  expect(() => sealer.unseal(swapped, AAD)).toThrow(SealError);
  expect(() => sealer.unseal('v1.a.AAAA', AAD)).toThrow(SealError);
  expect(() => sealer.unseal('plain text', AAD)).toThrow(SealError);
  expect(() => new Sealer([key(2, 'c')]).unseal(sealed, AAD)).toThrow(SealError);
  expect(() => new Sealer([key(9, 'a')]).unseal(sealed, AAD)).toThrow(SealError);
  expect(() => new Sealer([])).toThrow(SealError);
});

it('opens by the key itself, also after a change of its name', () => {
  const sealed = sealer.seal('secret', AAD);
  expect(new Sealer([key(2, 'new'), key(1, 'old')]).unseal(sealed, AAD)).toBe('secret');
  // The recipe followed twice: `a` was the older key, and is now the newer one.
  const twice = new Sealer([key(2, 'a'), key(1, 'b')]);
  expect(twice.unseal(sealed, AAD)).toBe('secret');
  expect([twice.isCurrent(sealed, AAD), twice.isCurrent(twice.seal('x', AAD), AAD)]).toEqual([false, true]);
});

it('derives keys that differ by purpose and by key', () => {
  expect(sealer.derive('cursors')).toEqual(new Sealer([key(1, 'z')]).derive('cursors'));
  expect(sealer.derive('cursors')).not.toEqual(sealer.derive('other'));
  expect(sealer.derive('cursors')).not.toEqual(new Sealer([key(2, 'a')]).derive('cursors'));
});
