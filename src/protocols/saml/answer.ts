import { SamlRefused } from './saml-refused.js';
import { NS } from './names.js';
import { bounded, MAX_REQUEST_ID } from './parts.rules.js';
import { readResponseShape, type ResponseShape } from './structure.rules.js';
import { decodeBase64, scanMessage } from './xml-scan.js';
import { attributeOf, childrenOf, collapsed } from './xml-tree.js';

/** A posted answer, read and not verified. It is good only for finding the sign-in that it claims to answer. */
export interface SamlAnswer {
  /** The request that it claims to answer; null: none. */
  readonly inResponseTo: string | null;
  /** As posted: an opaque handle. */
  readonly relayState: string | null;
  /** The claimed issuer. */
  readonly issuer: string | null;
  readonly shape: ResponseShape;
  /** The octets that were read. */
  readonly message: Buffer;
}

/** The fields of the forms that carry SAML messages (SAML Bindings §3.5.4). */
export const SAML_FIELDS = ['SAMLRequest', 'SAMLResponse', 'RelayState'] as const;

/**
 * Reads the form that an IdP had the browser post to the assertion consumer service (SAML Bindings §3.5). Needs no
 * connection.
 *
 * @param form the fields; repeated ones were refused before
 * @throws {SamlRefused} `binding_refused`, `message_malformed`, `message_too_large`, `dtd_refused`,
 *   `structure_refused`, `algorithm_refused`, `signature_missing`
 */
export function readSamlAnswer(form: ReadonlyMap<string, string>): SamlAnswer {
  const posted = form.get('SAMLResponse');
  if (posted === undefined || form.has('SAMLRequest')) {
    throw new SamlRefused('binding_refused', 'The form must hold one SAMLResponse and no SAMLRequest.');
  }
  const message = decodeBase64(posted);
  const shape = readResponseShape(scanMessage(message));
  const [issuer] = childrenOf(shape.root, NS.assertion, 'Issuer');
  return {
    inResponseTo: bounded(attributeOf(shape.root, 'InResponseTo'), 'InResponseTo', MAX_REQUEST_ID),
    // An empty RelayState is the same as none.
    relayState: form.get('RelayState') || null,
    issuer: bounded(issuer === undefined ? null : collapsed(issuer.text), 'Issuer'),
    shape,
    message,
  };
}
