import { SamlRefused } from './saml-refused.js';
import { NS } from './names.js';
import { shown } from './signature-form.rules.js';
import { decodeBase64 } from './xml-scan.js';
import { attributeOf, childrenOf, everyElement, is, type XmlElement } from './xml-tree.js';

/** An encrypted element, read and not decrypted. */
export interface EncryptedParts {
  /** By its name in `node:crypto`. */
  readonly cipher: 'aes-128-gcm' | 'aes-192-gcm' | 'aes-256-gcm' | 'aes-128-cbc' | 'aes-192-cbc' | 'aes-256-cbc';
  readonly content: Buffer;
  /** The content key, wrapped for each recipient. */
  readonly keys: readonly WrappedKey[];
}

/** A content key under RSA-OAEP, with the hashes of its padding by their names in `node:crypto`. */
export interface WrappedKey {
  readonly wrapped: Buffer;
  readonly digest: string;
  readonly mask: string;
}

const CIPHERS: ReadonlyMap<string, EncryptedParts['cipher']> = new Map([
  [`${NS.encryption11}aes128-gcm`, 'aes-128-gcm'],
  [`${NS.encryption11}aes192-gcm`, 'aes-192-gcm'],
  [`${NS.encryption11}aes256-gcm`, 'aes-256-gcm'],
  [`${NS.encryption}aes128-cbc`, 'aes-128-cbc'],
  [`${NS.encryption}aes192-cbc`, 'aes-192-cbc'],
  [`${NS.encryption}aes256-cbc`, 'aes-256-cbc'],
]);
/** SHA-1 is safe here: OAEP does not depend on collisions, and most IdPs write it. */
const OAEP_HASHES: ReadonlyMap<string, string> = new Map([
  [`${NS.signature}sha1`, 'sha1'],
  [`${NS.encryption}sha256`, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  [`${NS.encryption}sha512`, 'sha512'],
]);
const MASKS: ReadonlyMap<string, string> = new Map(
  ['sha1', 'sha256', 'sha384', 'sha512'].map((hash) => [`${NS.encryption11}mgf1${hash}`, hash]),
);
const MAX_KEYS = 4;

/**
 * Reads an EncryptedAssertion or EncryptedID (XML Encryption 1.1): AES-GCM, with keys by RSA-OAEP, of any two
 * hashes. RSA 1.5 is refused.
 * AES-CBC does not authenticate its text, so it is accepted only under a signature that covers the ciphertext.
 *
 * @param cbcAllowed whether such a signature is there
 * @throws {SamlRefused} `algorithm_refused`, `structure_refused`, `message_malformed`
 */
export function readEncrypted(element: XmlElement, cbcAllowed: boolean): EncryptedParts {
  const [data, ...rest] = element.children;
  if (data === undefined || !is(data, NS.encryption, 'EncryptedData')) throw refused('EncryptedData');
  if (rest.some((one) => !is(one, NS.encryption, 'EncryptedKey'))) throw refused('EncryptedKey');
  const method = attributeOf(single(data, NS.encryption, 'EncryptionMethod'), 'Algorithm') ?? '';
  const cipher = CIPHERS.get(method);
  if (cipher === undefined) throw algorithm(`the cipher ${shown(method)}`);
  if (cipher.endsWith('cbc') && !cbcAllowed) throw algorithm('AES-CBC outside a signed Response', CBC_WOULD_DO);
  const keys = [...everyElement(element)].filter((one) => is(one, NS.encryption, 'EncryptedKey'));
  if (keys.length === 0 || keys.length > MAX_KEYS) throw refused('EncryptedKey');
  return { cipher, content: cipherValueOf(data), keys: keys.map(readKey) };
}

function readKey(key: XmlElement): WrappedKey {
  const method = single(key, NS.encryption, 'EncryptionMethod');
  const name = attributeOf(method, 'Algorithm') ?? '';
  const isFirst = name === `${NS.encryption}rsa-oaep-mgf1p`;
  if (!isFirst && name !== `${NS.encryption11}rsa-oaep`) throw algorithm(`the key transport ${shown(name)}`);
  if (childrenOf(method, NS.encryption, 'OAEPparams').length > 0) throw algorithm('RSA-OAEP with a label');
  return {
    wrapped: cipherValueOf(key),
    digest: optional(method, NS.signature, 'DigestMethod', OAEP_HASHES, 'sha1'),
    // The mask of `rsa-oaep-mgf1p` is SHA-1 by definition, with each digest (XML Encryption 1.1 §5.5.2).
    mask: isFirst ? 'sha1' : optional(method, NS.encryption11, 'MGF', MASKS, 'sha1'),
  };
}

function optional(
  method: XmlElement,
  ns: string,
  name: string,
  known: ReadonlyMap<string, string>,
  usual: string,
): string {
  const [found, second] = childrenOf(method, ns, name);
  if (found === undefined) return usual;
  const algorithmName = attributeOf(found, 'Algorithm') ?? '';
  const hash = known.get(algorithmName);
  if (hash === undefined || second !== undefined) throw algorithm(`RSA-OAEP with ${shown(algorithmName)}`);
  return hash;
}

function cipherValueOf(element: XmlElement): Buffer {
  const data = single(element, NS.encryption, 'CipherData');
  const value = single(data, NS.encryption, 'CipherValue');
  if (data.children.length !== 1 || value.children.length > 0) throw refused('CipherValue');
  return decodeBase64(value.text);
}

function single(element: XmlElement, ns: string, name: string): XmlElement {
  const [found, second] = childrenOf(element, ns, name);
  if (found === undefined || second !== undefined) throw refused(name);
  return found;
}

function refused(name: string): SamlRefused {
  return new SamlRefused(
    'structure_refused',
    `The structure of the message is invalid: an encrypted part must have one ${name} in its place.`,
  );
}

/** Advice for IdPs without AES-GCM, such as ADFS. */
const CBC_WOULD_DO =
  ' Have the IdP sign the Response as well (ADFS: Set-AdfsRelyingPartyTrust -SamlResponseSignature MessageAndAssertion), encrypt with AES-GCM, or not encrypt.';

function algorithm(what: string, more = ''): SamlRefused {
  return new SamlRefused('algorithm_refused', `The message is encrypted with ${what}, which is not accepted.${more}`);
}
