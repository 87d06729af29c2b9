import { SamlRefused } from './saml-refused.js';
import { SIGNATURE_ALGORITHMS } from './names.js';
import { shown } from './signature-form.rules.js';
import { decodeBase64 } from './xml-scan.js';

/** A message of the redirect binding, split and not verified. */
export interface RedirectMessage {
  readonly field: 'SAMLRequest' | 'SAMLResponse';
  /** Deflated. */
  readonly message: Buffer;
  readonly relayState: string | null;
  /** The signed octets, exactly as they arrived. */
  readonly signed: string;
  readonly algorithm: string;
  readonly signature: Buffer;
}

const DEFLATE = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';
const NAMES = new Set(['SAMLRequest', 'SAMLResponse', 'RelayState', 'SigAlg', 'Signature', 'SAMLEncoding']);
const MAX_QUERY = 256 * 1024;

/**
 * Splits the raw query of the redirect binding (SAML Bindings §3.4.4.1). The signature is over the octets that the IdP
 * wrote, in a fixed order; decoding and encoding them again would change them.
 *
 * @throws {SamlRefused} `binding_refused`, `message_malformed`, `message_too_large`, `signature_missing`,
 *   `algorithm_refused`
 */
export function readRedirect(rawQuery: string): RedirectMessage {
  if (rawQuery.length > MAX_QUERY) throw new SamlRefused('message_too_large', 'The query is too long.');
  const raw = new Map<string, string>();
  for (const pair of rawQuery.replace(/^\?/, '').split('&')) {
    const equals = pair.indexOf('=');
    const written = equals === -1 ? pair : pair.slice(0, equals);
    const name = decoded(written);
    if (!NAMES.has(name)) continue;
    if (raw.has(name)) throw binding(`${name} comes twice`);
    // An escaped name would be read as one parameter here and as another one by the verifier of the signature.
    if (name !== written) throw binding(`${name} is not written plainly`);
    raw.set(name, equals === -1 ? '' : pair.slice(equals + 1));
  }
  const field = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  const message = raw.get(field);
  if (message === undefined || (field === 'SAMLRequest' && raw.has('SAMLResponse'))) {
    throw binding('it must hold one SAMLRequest or one SAMLResponse');
  }
  const encoding = raw.get('SAMLEncoding');
  if (encoding !== undefined && decoded(encoding) !== DEFLATE) throw binding('its encoding is not DEFLATE');
  const [relayState, sigAlg, signature] = [raw.get('RelayState'), raw.get('SigAlg'), raw.get('Signature')];
  if (!sigAlg || !signature) {
    throw new SamlRefused('signature_missing', 'The query is not signed.');
  }
  const algorithm = decoded(sigAlg);
  if (!SIGNATURE_ALGORITHMS.has(algorithm)) {
    throw new SamlRefused('algorithm_refused', `The query is signed with ${shown(algorithm)}, which is not accepted.`);
  }
  return {
    field,
    message: decodeBase64(decoded(message)),
    relayState: relayState === undefined ? null : decoded(relayState),
    signed: [
      `${field}=${message}`,
      ...(relayState === undefined ? [] : [`RelayState=${relayState}`]),
      `SigAlg=${sigAlg}`,
    ].join('&'),
    algorithm,
    signature: decodeBase64(decoded(signature)),
  };
}

/** Decodes a query value, in which "+" is a space. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    throw new SamlRefused('message_malformed', 'The query is not encoded properly.');
  }
}

function binding(what: string): SamlRefused {
  return new SamlRefused('binding_refused', `The query is not a message of the redirect binding: ${what}.`);
}
