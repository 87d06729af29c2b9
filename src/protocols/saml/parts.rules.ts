import { SamlRefused } from './saml-refused.js';
import type { NameId } from './saml-settings.js';
import { readMoment } from './moment.js';
import { ENTITY_FORMAT, NS, TRANSIENT } from './names.js';
import { attributeOf, childrenOf, collapsed, isBlank, type XmlElement } from './xml-tree.js';

/** The time of a check, and the tolerated difference of clocks. */
export interface Moments {
  readonly now: Date;
  readonly skewMs: number;
}

/** The largest clock skew of a connection. */
const MAX_SKEW_MS = 180_000;
/** The maximum age of a message. An IdP creates it for the answer that carries it, so an honest one is seconds old. */
export const MAX_AGE_MS = 600_000;
/** The limit of persistent names (SAML Core §8.3.7); e-mail addresses are shorter. */
const MAX_NAME = 256;

/** The maximum length of a stored or compared identifier; an honest one has a tenth of it. */
const MAX_TEXT = 1024;
/** The maximum length of a request id; ours have 53 characters. */
export const MAX_REQUEST_ID = 256;

/**
 * Demands that a text of an IdP is within a length; null stays null.
 *
 * @param what the name of the field, for the refusal
 * @throws {SamlRefused} `structure_refused`
 */
export function bounded<T extends string | null>(text: T, what: string, max = MAX_TEXT): T {
  if (text !== null && text.length > max) {
    throw new SamlRefused('structure_refused', `The message has a ${what} of more than ${max} characters.`);
  }
  return text;
}

/** Returns the clock skew of a connection in milliseconds, at most three minutes. */
export function skewOf(connection: { readonly clockSkewSeconds: number }): number {
  return Math.min(Math.max(connection.clockSkewSeconds, 0) * 1000, MAX_SKEW_MS);
}

/**
 * Reads the time in an attribute; null: there is none.
 *
 * @throws {SamlRefused} `structure_refused` when it is not a time
 */
export function momentOf(element: XmlElement, name: string): Date | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const moment = readMoment(text);
  if (moment === null) throw new SamlRefused('structure_refused', `${name} is not a time with its zone.`);
  return moment;
}

/**
 * Demands an IssueInstant that is neither in the future nor older than ten minutes, each widened by the skew.
 *
 * @throws {SamlRefused} `assertion_expired`, `assertion_not_yet_valid`, `structure_refused`
 */
export function demandFresh(element: XmlElement, { now, skewMs }: Moments): Date {
  const issued = momentOf(element, 'IssueInstant');
  if (issued === null) throw new SamlRefused('structure_refused', `The ${element.name} has no IssueInstant.`);
  if (issued.getTime() > now.getTime() + skewMs) {
    throw new SamlRefused('assertion_not_yet_valid', `The ${element.name} was made at ${issued.toISOString()}.`);
  }
  if (now.getTime() - skewMs >= issued.getTime() + MAX_AGE_MS) {
    throw new SamlRefused('assertion_expired', `The ${element.name} was made at ${issued.toISOString()}.`);
  }
  return issued;
}

/**
 * Demands one Issuer that is exactly this IdP, apart from white space around it.
 *
 * @throws {SamlRefused} `issuer_mismatch`
 */
export function demandIssuer(element: XmlElement, idpEntityId: string, what: string): void {
  const [issuer, second] = childrenOf(element, NS.assertion, 'Issuer');
  const format = issuer === undefined ? null : attributeOf(issuer, 'Format');
  const exact =
    issuer !== undefined &&
    second === undefined &&
    issuer.children.length === 0 &&
    collapsed(issuer.text) === idpEntityId &&
    (format === null || format === ENTITY_FORMAT);
  if (!exact) throw new SamlRefused('issuer_mismatch', `The ${what} does not name ${idpEntityId} as its issuer.`);
}

/**
 * Reads the one NameID of a Subject or LogoutRequest. A transient NameID differs at every sign-in and cannot identify a
 * user.
 *
 * @throws {SamlRefused} `name_id_missing`, `structure_refused`
 */
export function readNameId(parent: XmlElement, transientAllowed = false): NameId {
  const [element, second] = childrenOf(parent, NS.assertion, 'NameID');
  if (element === undefined) {
    const encrypted = childrenOf(parent, NS.assertion, 'EncryptedID').length > 0;
    throw missing(
      encrypted
        ? 'The IdP encrypts the NameID alone; it has to encrypt the whole assertion instead.'
        : 'The IdP sent no NameID.',
    );
  }
  if (second !== undefined || element.children.length > 0) throw missing('The IdP sent a NameID that is not one text.');
  demandName(element.text, 'The IdP sent a NameID');
  const format = bounded(attributeOf(element, 'Format'), 'Format');
  if (format === TRANSIENT && !transientAllowed) {
    throw missing(
      'The IdP sent a transient NameID; it has to send a persistent one or an e-mail address, or the connection needs a subject_claim: the attribute that names the user.',
    );
  }
  return {
    value: element.text,
    format,
    nameQualifier: bounded(attributeOf(element, 'NameQualifier'), 'NameQualifier'),
    spNameQualifier: bounded(attributeOf(element, 'SPNameQualifier'), 'SPNameQualifier'),
  };
}

/**
 * Demands a name that can identify a user.
 *
 * @param said the beginning of the refusal
 * @throws {SamlRefused} `name_id_missing` when it is blank, longer than 256 characters, or contains U+FFFD
 */
export function demandName(name: string, said: string): string {
  if (isBlank(name)) throw missing(`${said} that is empty.`);
  if (name.length > MAX_NAME) throw missing(`${said} of more than ${MAX_NAME} characters.`);
  // Systems write U+FFFD for letters that they cannot encode: different names would become equal.
  if (name.includes('\ufffd')) throw missing(`${said} with a letter that it could not write.`);
  return name;
}

function missing(message: string): SamlRefused {
  return new SamlRefused('name_id_missing', message);
}
