import { trimOf } from '../../base/characters.js';

/** The form of a slug. Other texts in an address are not looked up. */
export const SLUG = /^[a-z0-9-]{3,63}$/;

/** How addresses name a connection, for the API description. */
export const IDP_PROVIDER = {
  name: 'idp_provider',
  description: 'The slug of a connection.',
  schema: { type: 'string' as const, pattern: SLUG.source, examples: ['acme-okta'] },
};

// Without letters that look alike.
const ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789';

/**
 * Makes a slug from a name, with a random end against clashes.
 *
 * @param random 8 octets or more
 */
export function slugFrom(name: string, random: Uint8Array): string {
  // Cut to 40 characters first: decomposing a run of combining marks takes quadratic time (UAX #15 §3).
  const plain = name
    .slice(0, 200)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '');
  const words = trimOf(plain.replace(/[^a-z0-9]+/g, '-').slice(0, 40), '-');
  const end = Array.from(random.slice(0, 8), (byte) => ALPHABET[byte % ALPHABET.length]!).join('');
  return words === '' ? end : `${words}-${end}`;
}
