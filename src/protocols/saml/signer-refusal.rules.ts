import { X509Certificate } from 'node:crypto';
import { SamlRefused } from './saml-refused.js';
import { pemOf } from './certificate.rules.js';
import { NS } from './names.js';
import { childrenOf, type XmlElement } from './xml-tree.js';

/** The number of pinned certificates that are named; a connection has one or two. */
const MAX_NAMED = 3;

/**
 * Makes the refusal of a message that none of the pinned certificates signed. It names the certificate in the message,
 * which proves nothing: an administrator compares it with the one that the IdP shows.
 *
 * @param elements the elements that carry signatures; null: there is none
 * @param pinned the certificates of the connection, in PEM
 */
export function signerRefusal(elements: readonly (XmlElement | null)[], pinned: readonly string[]): SamlRefused {
  const brought = elements.flatMap((element) => (element === null ? [] : certificatesIn(element)));
  const known = pinned.flatMap((pem) => readable(pem) ?? []);
  const isKnown = brought.some((one) => known.some(({ fingerprint256 }) => fingerprint256 === one.fingerprint256));
  const words = [
    'The signature is not by any of the certificates of this connection, or the signed content was changed.',
    brought.length === 0
      ? 'The message brought no certificate'
      : `The message brought the certificate ${named(brought[0]!)}${isKnown ? ', which is pinned' : ''}`,
  ].join(' ');
  return new SamlRefused('signature_invalid', `${words}; pinned: ${list(known)}.`);
}

/**
 * Lists certificates (PEM) by the beginning of the fingerprint and the end of validity. Unreadable ones are left out.
 */
export function listOfCertificates(pems: readonly string[]): string {
  return list(pems.flatMap((pem) => readable(pem) ?? []));
}

function list(certificates: readonly X509Certificate[]): string {
  const more = certificates.length > MAX_NAMED ? ` and ${certificates.length - MAX_NAMED} more` : '';
  return (certificates.slice(0, MAX_NAMED).map(named).join(', ') || 'none') + more;
}

/** The beginning of the fingerprint (SHA-256), as the API and the CLI show it, and the end of validity. */
function named({ fingerprint256, validTo }: X509Certificate): string {
  const end = new Date(validTo);
  const until = Number.isNaN(end.getTime()) ? '' : ` (until ${end.toISOString().slice(0, 10)})`;
  return `${fingerprint256.slice(0, 16)}…${until}`;
}

function certificatesIn(element: XmlElement): X509Certificate[] {
  const within = (parents: readonly XmlElement[], name: string): XmlElement[] =>
    parents.flatMap((parent) => childrenOf(parent, NS.signature, name));
  const path = ['Signature', 'KeyInfo', 'X509Data', 'X509Certificate'];
  const found = path.reduce<readonly XmlElement[]>(within, [element]);
  return found.slice(0, 1).flatMap(({ text }) => readable(pemOf(text)) ?? []);
}

/** Reads a certificate; null: the message holds something else. */
function readable(pem: string | null): X509Certificate | null {
  try {
    return pem === null ? null : new X509Certificate(pem);
  } catch {
    return null;
  }
}
