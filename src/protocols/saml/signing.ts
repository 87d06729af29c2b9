import {
  constants,
  createPrivateKey,
  createPublicKey,
  KeyObject,
  sign,
  verify,
  type VerifyKeyObjectInput,
} from 'node:crypto';
import { SignedXml, type SignatureAlgorithm } from 'xml-crypto';
import { ENVELOPED_SIGNATURE, EXCLUSIVE_C14N, NS, SIGNATURE_ALGORITHMS } from './names.js';
import type { RedirectMessage } from './redirect.rules.js';

const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';

/**
 * Signs with RSA and SHA-256 outside of the event loop: a signature of 3 072 bits takes milliseconds.
 *
 * @returns the signature in base64
 */
function signature(text: string, privateKey: string): Promise<string> {
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(text, 'utf8'), keyOf(privateKey), (error, made) =>
      error === null ? resolve(made.toString('base64')) : reject(error),
    );
  });
}

/**
 * The parsed keys of the installation; parsing takes longer than starting a signature. There are two while keys roll
 * over.
 */
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 4;

function keyOf(pem: string): KeyObject {
  const known = keys.get(pem);
  if (known !== undefined) return known;
  const key = createPrivateKey(pem);
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(pem, key);
  return key;
}

/** RSA with SHA-256 as an algorithm of xml-crypto that signs outside of the event loop. */
class AsyncRsaSha256 {
  getAlgorithmName(): typeof RSA_SHA256 {
    return RSA_SHA256;
  }

  getSignature(text: string, privateKey: string, done: (error: Error | null, value?: string) => void): void {
    signature(text, privateKey).then((value) => done(null, value), done);
  }

  /** @throws {Error} always: signatures are verified in threads */
  verifySignature(): never {
    throw new Error('signatures are verified elsewhere');
  }
}

/**
 * Signs the root of a message for the POST binding (SAML Bindings §3.5.4): an enveloped signature behind its Issuer.
 *
 * @param root the local name of the root, an element of the protocol
 * @param privateKey PKCS#8, PEM
 */
export function signedXml(xml: string, root: string, privateKey: string): Promise<string> {
  const xpath = `/*[local-name(.)="${root}" and namespace-uri(.)="${NS.protocol}"]`;
  const issuer = `${xpath}/*[local-name(.)="Issuer" and namespace-uri(.)="${NS.assertion}"]`;
  const signer = new SignedXml({
    privateKey,
    signatureAlgorithm: RSA_SHA256,
    canonicalizationAlgorithm: EXCLUSIVE_C14N,
  });
  // The types of xml-crypto miss the callback in the first overload of `getSignature`.
  signer.SignatureAlgorithms = { [RSA_SHA256]: AsyncRsaSha256 as unknown as new () => SignatureAlgorithm };
  signer.addReference({ xpath, transforms: [ENVELOPED_SIGNATURE, EXCLUSIVE_C14N], digestAlgorithm: SHA256 });
  return new Promise((resolve, reject) => {
    signer.computeSignature(xml, { location: { reference: issuer, action: 'after' } }, (error) =>
      error ? reject(error) : resolve(signer.getSignedXml()),
    );
  });
}

/**
 * Signs a message of the redirect binding (SAML Bindings §3.4.4.1): the octets of the query as they are sent. The
 * former query of the address stays in front.
 *
 * @param address with the message and its RelayState as parameters, unsigned
 */
export async function signedAddress(address: string, privateKey: string): Promise<string> {
  const url = new URL(address);
  const parts: string[] = [];
  for (const name of ['SAMLRequest', 'SAMLResponse', 'RelayState']) {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    if (value !== null) parts.push(`${name}=${escaped(value)}`);
  }
  const query = [...parts, `SigAlg=${escaped(RSA_SHA256)}`].join('&');
  const before = url.search === '' ? '' : `${url.search.slice(1)}&`;
  url.search = `${before}${query}&Signature=${escaped(await signature(query, privateKey))}`;
  return url.href;
}

/** Escapes like `encodeURIComponent`, and also the characters that a URL would escape later, such as an apostrophe. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Whether one of the certificates (PEM, checked) made the signature of a query. Verifies outside of the event loop. */
export async function isQuerySignedBy(message: RedirectMessage, certificates: readonly string[]): Promise<boolean> {
  const algorithm = SIGNATURE_ALGORITHMS.get(message.algorithm);
  if (algorithm === undefined) return false;
  // XML Signature writes ECDSA as r and s; some IdPs put DER into a query.
  const encodings = algorithm.key === 'ec' ? (['ieee-p1363', 'der'] as const) : (['der'] as const);
  const padding = algorithm.pss
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  for (const certificate of certificates) {
    const key = createPublicKey(certificate);
    if (key.asymmetricKeyType !== algorithm.key) continue;
    for (const dsaEncoding of encodings) {
      if (await verifies(algorithm.hash, message, { key, ...padding, dsaEncoding })) return true;
    }
  }
  return false;
}

function verifies(
  hash: string,
  { signed, signature: made }: RedirectMessage,
  key: VerifyKeyObjectInput,
): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      // OpenSSL reports an error for octets that do not have the form of a signature.
      verify(hash, Buffer.from(signed, 'utf8'), key, made, (error, good) => resolve(error === null && good));
    } catch {
      resolve(false);
    }
  });
}
