import { trimOf } from '../base/trim.js';

/** What a slug looks like. It is a part of addresses, so whatever else stands there is none. */
export const SLUG = /^[a-z0-9-]{3,63}$/;

/** How addresses name a connection, for the documentation. */
export const IDP_PROVIDER = {
  name: 'idp_provider',
  description: 'The slug of a connection.',
  schema: { type: 'string' as const, pattern: SLUG.source, examples: ['acme-okta'] },
};

// Without letters that read like another one.
const ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789';

/** A slug out of a name, with an end of its own: what nobody chose shall not clash. In: 8 random bytes or more. */
export function slugFrom(name: string, random: Uint8Array): string {
  // 40 characters are kept. Decomposing a run of combining marks takes quadratic time (UAX #15 §3).
  const plain = name
    .slice(0, 200)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '');
  const words = trimOf(plain.replace(/[^a-z0-9]+/g, '-').slice(0, 40), '-');
  const end = Array.from(random.slice(0, 8), (byte) => ALPHABET[byte % ALPHABET.length]!).join('');
  return words === '' ? end : `${words}-${end}`;
}
