import { urlOf } from '../../base/url.js';
import { trimEndOf } from '../../base/characters.js';

/**
 * Returns the form in which entity ids are compared over tenants. SAML compares them exactly; some IdPs ignore case or
 * a slash at the end, and two tenants must not be the same service provider to any IdP.
 */
export function entityIdKey(entityId: string): string {
  // ASCII letters alone: the rows of the table have keys of this form.
  return trimEndOf(entityId, '/').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * Whether an entity id is an address of this service, with http or https. The default entity ids of all tenants are
 * below our own addresses.
 *
 * @param ownAddresses the configured public addresses
 */
export function isOwnAddress(entityId: string, ownAddresses: readonly string[]): boolean {
  const host = hostOf(entityId);
  return host !== null && ownAddresses.some((own) => hostOf(own) === host);
}

/** Returns host and port as a browser resolves them, without a dot at the end of the name. */
function hostOf(text: string): string | null {
  const url = urlOf(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  return `${trimEndOf(url.hostname, '.')}:${url.port}`;
}
