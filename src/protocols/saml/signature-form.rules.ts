import { SamlRefused } from './saml-refused.js';
import { DIGEST_ALGORITHMS, ENVELOPED_SIGNATURE, EXCLUSIVE_C14N, NS, SIGNATURE_ALGORITHMS } from './names.js';
import { excerptOf } from './xml-namespaces.js';
import { attributeOf, childrenOf, is, isBlank, type XmlElement } from './xml-tree.js';

/**
 * Checks the form of the signature that is a direct child of an element, before any cryptography (SAML Core §5.4): one
 * SignedInfo with one Reference to that element, algorithms of the allow-lists, and no further content.
 *
 * @returns whether there is a signature
 * @throws {SamlRefused} `structure_refused`, `algorithm_refused`; `signature_missing` for an empty signature
 */
export function checkSignatureOf(parent: XmlElement): boolean {
  const [signature, second] = childrenOf(parent, NS.signature, 'Signature');
  if (signature === undefined) return false;
  if (second !== undefined) throw refused('an element has two signatures');
  const [info, value, keyInfo, more] = signature.children;
  if (info === undefined || value === undefined) throw empty();
  if (!is(info, NS.signature, 'SignedInfo') || !is(value, NS.signature, 'SignatureValue')) {
    throw refused('a signature is not made of one SignedInfo and one SignatureValue');
  }
  if (more !== undefined || (keyInfo !== undefined && !is(keyInfo, NS.signature, 'KeyInfo'))) {
    throw refused('a signature holds more than SignedInfo, SignatureValue and KeyInfo');
  }
  if (value.children.length > 0 || !isBlank(signature.text))
    throw refused('a signature has content that it must not have');
  if (isBlank(value.text)) throw empty();
  checkSignedInfo(info, attributeOf(parent, 'ID') ?? '');
  return true;
}

/**
 * Returns the signature of an element without KeyInfo and without the signed content, as a small document. It shows
 * whether a certificate made the signature value, for a message of any size; it proves nothing about the
 * content.
 *
 * @param parent an element that `checkSignatureOf` found signed
 */
export function signatureExcerpt(parent: XmlElement): string {
  const [signature] = childrenOf(parent, NS.signature, 'Signature');
  if (signature === undefined) throw empty();
  return excerptOf(signature, signature.children.slice(0, 2));
}

function checkSignedInfo(info: XmlElement, id: string): void {
  const [canonicalization, method, reference, more] = info.children;
  if (
    canonicalization === undefined ||
    method === undefined ||
    reference === undefined ||
    more !== undefined ||
    !is(canonicalization, NS.signature, 'CanonicalizationMethod') ||
    !is(method, NS.signature, 'SignatureMethod') ||
    !is(reference, NS.signature, 'Reference')
  ) {
    throw refused('SignedInfo is not made of one canonicalization, one method and one Reference');
  }
  if (method.children.length > 0) throw algorithm('a SignatureMethod with parameters');
  demand(canonicalization, (name) => name === EXCLUSIVE_C14N, 'canonicalization');
  onlyPrefixList(canonicalization);
  demand(method, (name) => SIGNATURE_ALGORITHMS.has(name), 'signature');
  checkReference(reference, id);
}

function checkReference(reference: XmlElement, id: string): void {
  if (id === '' || attributeOf(reference, 'URI') !== `#${id}`) {
    throw refused('the Reference of a signature does not point at the element around it');
  }
  const [transforms, digest, value, more] = reference.children;
  if (
    transforms === undefined ||
    digest === undefined ||
    value === undefined ||
    more !== undefined ||
    !is(transforms, NS.signature, 'Transforms') ||
    !is(digest, NS.signature, 'DigestMethod') ||
    !is(value, NS.signature, 'DigestValue') ||
    value.children.length > 0
  ) {
    throw refused('a Reference is not made of transforms, one digest method and one digest value');
  }
  const names = transforms.children.map((one) => (is(one, NS.signature, 'Transform') && algorithmOf(one)) || '');
  if (names.length !== 2 || names[0] !== ENVELOPED_SIGNATURE || names[1] !== EXCLUSIVE_C14N) {
    throw algorithm('transforms other than enveloped-signature and exclusive canonicalization');
  }
  if ((transforms.children[0] as XmlElement).children.length > 0) throw algorithm('a transform with parameters');
  onlyPrefixList(transforms.children[1] as XmlElement);
  if (digest.children.length > 0) throw algorithm('a DigestMethod with parameters');
  demand(digest, (name) => DIGEST_ALGORITHMS.has(name), 'digest');
}

/** Permits the one parameter of exclusive canonicalization, a list of prefixes (XML-EXC-C14N §4). */
function onlyPrefixList(element: XmlElement): void {
  const [only, more] = element.children;
  if (only === undefined) return;
  const fits = is(only, NS.exclusive, 'InclusiveNamespaces') && only.children.length === 0;
  if (more !== undefined || !fits) throw algorithm('a transform with parameters');
}

function demand(element: XmlElement, allowed: (name: string) => boolean, what: string): void {
  const name = algorithmOf(element);
  if (!allowed(name)) throw algorithm(`the ${what} algorithm ${shown(name)}`);
}

function algorithmOf(element: XmlElement): string {
  return attributeOf(element, 'Algorithm') ?? '';
}

/** Returns a text of the other side for the log: shortened, without characters that could forge a line. */
export function shown(text: string): string {
  const printable = text.replace(/[^\x21-\x7e]/g, '?');
  return printable === '' ? '(none)' : printable.length > 120 ? `${printable.slice(0, 120)}…` : printable;
}

/** Returns a sentence of the other side for the log: as text, on one line, and shortened. */
export function quotedText(text: string): string {
  const line = text
    .slice(0, 2_000)
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > 200 ? `${characters.slice(0, 200).join('')}…` : line;
}

function refused(what: string): SamlRefused {
  return new SamlRefused('structure_refused', `The structure of the message is invalid: ${what}.`);
}

function algorithm(what: string): SamlRefused {
  return new SamlRefused('algorithm_refused', `The message uses ${what}, which is not accepted.`);
}

function empty(): SamlRefused {
  return new SamlRefused('signature_missing', 'The message has a signature that is empty.');
}
