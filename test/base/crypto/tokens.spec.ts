import { hashToken, mintToken, parseToken, sameHash } from '../../../src/base/crypto/tokens.js';

const TENANT = 'ten_01k0000000abcdefghjkmnpqrs';

describe('a credential', () => {
  it.each(['tbk', 'tbs'] as const)('%s leads back to its tenant', (kind) => {
    const minted = mintToken(kind, TENANT);
    expect(parseToken(minted.token)).toEqual({ kind, tenantId: TENANT, hash: minted.hash });
    expect(minted.hash).toEqual(hashToken(minted.token));
    expect(minted.token.startsWith(minted.prefix)).toBe(true);
    expect(minted.token.length - minted.prefix.length).toBe(45);
  });

  it('of the operator belongs to no tenant', () => {
    expect(parseToken(mintToken('tbo', '').token)).toMatchObject({ kind: 'tbo', tenantId: '' });
  });

  it('is one word of letters, digits and underscores', () => {
    for (let i = 0; i < 200; i++) expect(mintToken('tbk', TENANT).token).toMatch(/^tbk_[0-9a-z]{26}_[0-9A-Za-z]{49}$/);
  });

  it('is never made twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => mintToken('tbs', TENANT).token)).size).toBe(1000);
  });
});

describe('texts that are no credentials', () => {
  const { token } = mintToken('tbk', TENANT);
  const flipped = token.at(-1) === 'A' ? 'B' : 'A';
  it.each([
    ['nothing', ''],
    ['another kind', token.replace('tbk', 'tbx')],
    ['a wrong checksum', token.slice(0, -1) + flipped],
    ['one letter changed in the secret', token.slice(0, 40) + (token[40] === 'x' ? 'y' : 'x') + token.slice(41)],
    ['another tenant’s name on it', token.replace('01k0', '01k1')],
    ['another kind’s name on it', token.replace('tbk', 'tbs')],
    ['cut short', token.slice(0, -3)],
    ['something behind it', `${token}x`],
    ['a line break behind it', `${token}\n`],
  ])('%s', (_, text) => {
    expect(parseToken(text)).toBeNull();
  });
});

it('compares hashes of any length', () => {
  expect(sameHash(hashToken('a'), hashToken('a'))).toBe(true);
  expect(sameHash(hashToken('a'), hashToken('b'))).toBe(false);
  expect(sameHash(hashToken('a'), Buffer.alloc(3))).toBe(false);
});
