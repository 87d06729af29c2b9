import { SamlRefused } from './saml-refused.js';
import type { NameId } from './saml-sign-in.js';
import { readMoment } from './moment.js';
import { ENTITY_FORMAT, NS, TRANSIENT } from './names.js';
import { attributeOf, childrenOf, collapsed, isBlank, type XmlElement } from './xml-tree.js';

/** What the clock says, and by how much another one may differ. */
export interface Moments {
  readonly now: Date;
  readonly skewMs: number;
}

/** The skew that a connection may have at most (SAML-08). */
const MAX_SKEW_MS = 180_000;
/** How old a message may be. IdPs make it for the answer that carries it, so it is seconds old. */
export const MAX_AGE_MS = 600_000;
/** Core §8.3.7, for persistent names; e-mail addresses are shorter. */
const MAX_NAME = 256;

/** How long an identifier may be that is kept, compared or handed on; an honest one has a tenth of it. */
const MAX_TEXT = 1024;
/** The ID of a request: ours have 53 characters. */
export const MAX_REQUEST_ID = 256;

/**
 * A text of an IdP, letter by letter, that is no longer than what anybody would write; null stays null.
 *
 * @throws SamlRefused structure_refused
 */
export function bounded<T extends string | null>(text: T, what: string, max = MAX_TEXT): T {
  if (text !== null && text.length > max) {
    throw new SamlRefused('structure_refused', `The message has a ${what} of more than ${max} characters.`);
  }
  return text;
}

/** The tolerance of a connection, in milliseconds; never more than three minutes, whatever is stored. */
export function skewOf(connection: { readonly clockSkewSeconds: number }): number {
  return Math.min(Math.max(connection.clockSkewSeconds, 0) * 1000, MAX_SKEW_MS);
}

/** The time in an attribute, or null where there is none. @throws SamlRefused structure_refused: it is no time */
export function momentOf(element: XmlElement, name: string): Date | null {
  const text = attributeOf(element, name);
  if (text === null) return null;
  const moment = readMoment(text);
  if (moment === null) throw new SamlRefused('structure_refused', `${name} is not a time with its zone.`);
  return moment;
}

/**
 * Demands that a message or assertion was made just now: IssueInstant neither ahead of our clock nor over ten minutes
 * old, each widened by the skew.
 *
 * @throws SamlRefused assertion_expired, assertion_not_yet_valid, structure_refused
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

/** Demands one Issuer that is exactly this IdP, but for white space around it (SAML-11). @throws SamlRefused issuer_mismatch */
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
 * Reads the one NameID of a Subject or LogoutRequest as it was written (SAML-07, SAML-12). A transient name is another
 * one each time: nobody can be recognised by it.
 *
 * @throws SamlRefused name_id_missing, structure_refused
 */
export function readNameId(parent: XmlElement, transientAllowed = false): NameId {
  const [element, second] = childrenOf(parent, NS.assertion, 'NameID');
  if (element === undefined) {
    const encrypted = childrenOf(parent, NS.assertion, 'EncryptedID').length > 0;
    throw missing(
      encrypted
        ? 'The IdP encrypts the NameID by itself; it has to encrypt the whole assertion instead.'
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
 * A name that a user can be recognised by.
 *
 * @param said the beginning of the refusal
 * @throws SamlRefused name_id_missing: it is blank, longer than 256 characters, or has lost a letter
 */
export function demandName(name: string, said: string): string {
  if (isBlank(name)) throw missing(`${said} that is empty.`);
  if (name.length > MAX_NAME) throw missing(`${said} of more than ${MAX_NAME} characters.`);
  // Whoever could not write a letter wrote U+FFFD: names that differ in such letters have become one.
  if (name.includes('\ufffd')) throw missing(`${said} with a letter that it could not write.`);
  return name;
}

function missing(message: string): SamlRefused {
  return new SamlRefused('name_id_missing', message);
}
