import { SamlRefused } from './saml-refused.js';
import { NS } from './names.js';
import { bounded, MAX_REQUEST_ID } from './parts.rules.js';
import { readResponseShape, type ResponseShape } from './structure.rules.js';
import { decodeBase64, scanMessage } from './xml-scan.js';
import { attributeOf, childrenOf, collapsed } from './xml-tree.js';

/** What an IdP has posted, read but not verified: good for finding the sign-in it claims to answer, and nothing else. */
export interface SamlAnswer {
  /** The request that it claims to answer; null: none, or so it says. */
  readonly inResponseTo: string | null;
  /** As it was posted; an opaque handle at best (SAML-16). */
  readonly relayState: string | null;
  /** Who it claims to be from. */
  readonly issuer: string | null;
  readonly shape: ResponseShape;
  /** The very bytes that were read. */
  readonly message: Buffer;
}

/**
 * Reads the form that an IdP had posted to the assertion consumer service (HTTP-POST binding, Bindings §3.5). Cheap, and
 * without any knowledge of the connection.
 *
 * In: the fields of the form; whoever made the map has refused repeated ones.
 *
 * @throws SamlRefused binding_refused, message_malformed, message_too_large, dtd_refused, structure_refused,
 * algorithm_refused, signature_missing
 */
export function readAnswer(form: ReadonlyMap<string, string>): SamlAnswer {
  const posted = form.get('SAMLResponse');
  if (posted === undefined || form.has('SAMLRequest')) {
    throw new SamlRefused('binding_refused', 'The form must hold one SAMLResponse and no SAMLRequest.');
  }
  const message = decodeBase64(posted);
  const shape = readResponseShape(scanMessage(message));
  const [issuer] = childrenOf(shape.root, NS.assertion, 'Issuer');
  return {
    inResponseTo: bounded(attributeOf(shape.root, 'InResponseTo'), 'InResponseTo', MAX_REQUEST_ID),
    // An empty one says as much as none.
    relayState: form.get('RelayState') || null,
    issuer: bounded(issuer === undefined ? null : collapsed(issuer.text), 'Issuer'),
    shape,
    message,
  };
}
