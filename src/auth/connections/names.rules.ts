import { trimOf, trimEndOf } from '../../base/characters.js';
import { urlOf } from '../../base/url.js';

/** The form of a slug. Other texts in an address are not looked up. */
export const SLUG = /^[a-z0-9-]{3,63}$/;

export const IDP_PROVIDER = {
  name: 'idp_provider',
  description: 'The slug of a connection.',
  schema: { type: 'string' as const, pattern: SLUG.source, examples: ['acme-okta'] },
};

// Without letters that look alike.
const ALPHABET = 'abcdefghjkmnpqrstvwxyz23456789';

/** Makes a slug from a name, with eight random characters against clashes. */
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

/**
 * Returns the form in which entity ids are compared over tenants. SAML compares them exactly; some IdPs ignore case or a slash
 * at the end. Two tenants must not be the same service provider to any IdP.
 */
export function entityIdKey(entityId: string): string {
  // ASCII letters alone: the rows of the table have keys of this form.
  return trimEndOf(entityId, '/').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether an entity id is an address of this service. The default entity ids of all tenants are below our own addresses. */
export function isOwnAddress(entityId: string, ownAddresses: readonly string[]): boolean {
  const host = hostOf(entityId);
  return host !== null && ownAddresses.some((own) => hostOf(own) === host);
}

function hostOf(text: string): string | null {
  const url = urlOf(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return `${trimEndOf(url.hostname, '.')}:${url.port}`;
}
