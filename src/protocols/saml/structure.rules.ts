import type { SamlSigned } from './saml-settings.js';
import { SamlRefused } from './saml-refused.js';
import { NS } from './names.js';
import { bounded } from './parts.rules.js';
import { checkSignatureOf, shown } from './signature-form.rules.js';
import { attributeOf, everyElement, is, type XmlElement } from './xml-tree.js';

/** The parts of a Response in their places; nothing is verified yet. */
export interface ResponseShape {
  readonly root: XmlElement;
  /** The Assertion or EncryptedAssertion; null only in an answer without success. */
  readonly assertion: XmlElement | null;
  readonly encrypted: boolean;
  readonly responseSigned: boolean;
  /** Of an encrypted assertion this is known only after decryption. */
  readonly assertionSigned: boolean;
}

const MAX_SIGNATURES = 4;
/**
 * The maximum number of elements under a signature. The time of a verification grows with its square. An honest message
 * has fewer than 300; a Windows account in the maximum of 1 015 groups still fits.
 */
const MAX_VERIFIED = 1_500;
const SAML_NAMES: ReadonlyMap<string, string> = new Map([
  ['Assertion', NS.assertion],
  ['EncryptedAssertion', NS.assertion],
  ['Response', NS.protocol],
  ['Signature', NS.signature],
]);

/**
 * Checks the structure of a Response before any cryptography, against signature wrapping ("On Breaking SAML", 2012):
 * one Response, one Assertion as its direct child, signatures only where SAML puts them, every ID once. Names count
 * with their namespace.
 *
 * @throws {SamlRefused} `structure_refused`, `message_too_large`, `algorithm_refused`, `signature_missing` for an empty
 *   signature
 */
export function readResponseShape(root: XmlElement): ResponseShape {
  if (!is(root, NS.protocol, 'Response')) throw refused('its root is not a Response of SAML 2.0');
  demandVersion(root);
  const census = takeCensus(root, new Set());
  if (census.responses !== 1) throw refused('it holds more than one Response');
  if (census.assertions.length > 1) throw refused('it holds more than one assertion');
  const assertion = census.assertions[0] ?? null;
  if (assertion !== null && assertion.parent !== root) throw refused('its assertion is not where it belongs');
  const encrypted = assertion?.name === 'EncryptedAssertion';
  demandPlaces(census.signatures, encrypted ? [root] : [root, assertion]);
  return {
    root,
    assertion,
    encrypted,
    responseSigned: checkSignatureOf(root),
    assertionSigned: assertion !== null && !encrypted && checkSignatureOf(assertion),
  };
}

/**
 * Checks the structure of a decrypted assertion in the same way: anybody with our public key can make one.
 *
 * @param outer the Response around it, whose IDs must not occur again
 * @returns whether the assertion is signed
 * @throws {SamlRefused} as `readResponseShape`
 */
export function checkDecryptedAssertion(assertion: XmlElement, outer: XmlElement): boolean {
  if (!is(assertion, NS.assertion, 'Assertion')) throw refused('the decrypted element is not an Assertion');
  const taken = new Set<string>();
  takeCensus(outer, taken);
  const census = takeCensus(assertion, taken);
  if (census.assertions.length !== 1 || census.responses !== 0) throw refused('it holds more than one assertion');
  demandPlaces(census.signatures, [assertion]);
  return checkSignatureOf(assertion);
}

/**
 * Checks the structure of a logout message.
 *
 * @returns whether the XML is signed (the redirect binding signs the query)
 * @throws {SamlRefused} as `readResponseShape`
 */
export function checkLogoutShape(root: XmlElement, name: 'LogoutRequest' | 'LogoutResponse'): boolean {
  if (!is(root, NS.protocol, name)) throw refused(`its root is not a ${name} of SAML 2.0`);
  demandVersion(root);
  const census = takeCensus(root, new Set());
  if (census.assertions.length > 0 || census.responses > 0)
    throw refused('it has content that a logout message must not have');
  demandPlaces(census.signatures, [root]);
  return checkSignatureOf(root);
}

/**
 * Checks that metadata has a signature on its root or nowhere.
 *
 * @returns whether it is signed
 * @throws {SamlRefused} as `readResponseShape`
 */
export function checkMetadataShape(root: XmlElement): boolean {
  const census = takeCensus(root, new Set());
  demandPlaces(census.signatures, [root]);
  const signed = checkSignatureOf(root);
  if (signed && (attributeOf(root, 'ID') ?? '') === '') throw refused('it has no ID');
  return signed;
}

/**
 * Demands the signatures that the connection wants.
 *
 * @param decryptedSigned whether the decrypted assertion is signed; undefined: not known yet
 * @throws {SamlRefused} `signature_missing`
 */
export function demandSignatures(shape: ResponseShape, signed: SamlSigned, decryptedSigned = false): void {
  if (signed !== 'assertion' && !shape.responseSigned) throw missing('Response');
  const assertionSigned = shape.encrypted ? decryptedSigned : shape.assertionSigned;
  if (signed !== 'response' && !assertionSigned) {
    throw missing('assertion', signed === 'assertion' && shape.responseSigned ? RESPONSE_WOULD_DO : '');
  }
}

interface Census {
  readonly responses: number;
  readonly assertions: readonly XmlElement[];
  readonly signatures: readonly XmlElement[];
}

/**
 * Counts over the whole document what must occur once.
 *
 * @param ids the IDs taken so far
 */
function takeCensus(root: XmlElement, ids: Set<string>): Census {
  let responses = 0;
  let elements = 0;
  const assertions: XmlElement[] = [];
  const signatures: XmlElement[] = [];
  for (const element of everyElement(root)) {
    if (++elements > MAX_VERIFIED) {
      throw new SamlRefused('message_too_large', `The message is too large: more than ${MAX_VERIFIED} elements.`);
    }
    takeIds(element, ids);
    const ns = SAML_NAMES.get(element.name);
    if (ns === undefined) continue;
    if (element.ns !== ns) throw refused(`an element ${element.name} is not in the namespace of that name`);
    if (element.name === 'Response') responses++;
    else if (element.name === 'Signature') signatures.push(element);
    else assertions.push(element);
  }
  if (signatures.length > MAX_SIGNATURES) throw refused(`it holds more than ${MAX_SIGNATURES} signatures`);
  return { responses, assertions, signatures };
}

/** Verifiers look up IDs in any spelling (`ID`, `Id`, `id`), so all spellings share one set. */
function takeIds(element: XmlElement, ids: Set<string>): void {
  const saml = element.ns === NS.protocol || element.ns === NS.assertion;
  for (const { ns, name, value } of element.attributes) {
    if (name.toLowerCase() !== 'id') continue;
    bounded(value, 'ID');
    if (saml && (name !== 'ID' || ns !== '')) throw refused('an element of SAML has an ID of another form');
    if (ids.has(value)) throw refused('an ID is used twice');
    ids.add(value);
  }
}

function demandPlaces(signatures: readonly XmlElement[], parents: readonly (XmlElement | null)[]): void {
  if (signatures.some(({ parent }) => !parents.includes(parent))) {
    throw refused('a signature is not a direct child of what it signs');
  }
}

function demandVersion(root: XmlElement): void {
  const version = attributeOf(root, 'Version');
  if (version !== '2.0') throw refused(`its version is ${shown(version ?? '')} and not 2.0`);
  if ((attributeOf(root, 'ID') ?? '') === '') throw refused('it has no ID');
}

function refused(what: string): SamlRefused {
  return new SamlRefused('structure_refused', `The structure of the message is invalid: ${what}.`);
}

/** Advice for a connection whose IdP signs the other part. */
const RESPONSE_WOULD_DO =
  ' The Response around it is: have the IdP sign assertions, or set "signed" of the connection to "response".';

function missing(what: string, more = ''): SamlRefused {
  return new SamlRefused('signature_missing', `The ${what} is not signed, which this connection demands.${more}`);
}
