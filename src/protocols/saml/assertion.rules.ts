import { SamlRefused, type SamlRefusalReason } from './saml-refused.js';
import type { SamlSignIn } from './saml-settings.js';
import { readClaims, subjectIn } from './attributes.mapping.js';
import { readMoment } from './moment.js';
import { BEARER, NS, STATUS_SUCCESS } from './names.js';
import { bounded, demandFresh, demandIssuer, momentOf, readNameId, type Moments } from './parts.rules.js';
import { quotedText, shown } from './signature-form.rules.js';
import { attributeOf, childrenOf, collapsed, is, type XmlElement } from './xml-tree.js';

/** An honest assertion has one AuthnStatement, seldom two. */
const MAX_OTHER_SESSIONS = 9;

/** What an answer is compared with. */
export interface Expectations extends Moments {
  readonly idpEntityId: string;
  readonly spEntityId: string;
  /** Our assertion consumer service for this connection. */
  readonly acsUrl: string;
  /** The request of the sign-in; null: the IdP began it. */
  readonly requestId: string | null;
  readonly allowIdpInitiated: boolean;
  readonly authnContexts: readonly string[];
  /** The attribute that is the subject; null: the NameID. */
  readonly subjectClaim: string | null;
  /** Whether the Response was signed, and its signature verified. */
  readonly responseSigned: boolean;
}

/**
 * Judges a verified assertion (SAML Profiles §4.1.4.2, §4.1.4.3).
 *
 * @param assertion read from the octets under its signature
 * @param response read from the octets under its signature where it was signed
 * @returns what the assertion says about the person
 * @throws {SamlRefused} with the first reason that applies
 */
export function readAssertion(assertion: XmlElement, response: XmlElement, expected: Expectations): SamlSignIn {
  checkResponse(response, expected);
  if (!is(assertion, NS.assertion, 'Assertion')) throw built('the signed element is not an Assertion');
  if (attributeOf(assertion, 'Version') !== '2.0') throw built('the assertion is not of version 2.0');
  const id = attributeOf(assertion, 'ID') ?? '';
  if (id === '') throw built('the assertion has no ID');
  demandIssuer(assertion, expected.idpEntityId, 'assertion');
  const issuedAt = demandFresh(assertion, expected);
  checkConditions(one(assertion, 'Conditions'), expected);
  const subject = one(assertion, 'Subject');
  const until = checkConfirmations(subject, attributeOf(response, 'InResponseTo'), expected);
  const statement = readAuthnStatements(assertion, expected);
  const nameId = readNameId(subject, expected.subjectClaim !== null);
  const attributes = readClaims(childrenOf(assertion, NS.assertion, 'AttributeStatement'));
  return {
    subject: expected.subjectClaim === null ? nameId.value : subjectIn(attributes, expected.subjectClaim),
    ...attributes,
    ...statement,
    issuedAt,
    nameId,
    once: { id: `${expected.idpEntityId} ${id}`, until: new Date(until + expected.skewMs) },
  };
}

/** Returns the refusal of an answer whose top-level status is not Success; null: it is Success. */
export function statusProblem(response: XmlElement): SamlRefused | null {
  const [status] = childrenOf(response, NS.protocol, 'Status');
  const [code] = status === undefined ? [] : childrenOf(status, NS.protocol, 'StatusCode');
  const value = code === undefined ? null : attributeOf(code, 'Value');
  if (value === STATUS_SUCCESS) return null;
  const [second] = code === undefined ? [] : childrenOf(code, NS.protocol, 'StatusCode');
  const detail = second === undefined ? '' : `, ${shown(attributeOf(second, 'Value') ?? '')}`;
  const [message] = status === undefined ? [] : childrenOf(status, NS.protocol, 'StatusMessage');
  const said = message === undefined ? '' : quotedText(message.text);
  const words = said === '' ? '.' : `, and says: ${said}`;
  return refused('status_not_success', `The IdP answered with the status ${shown(value ?? '')}${detail}${words}`);
}

function checkResponse(response: XmlElement, expected: Expectations): void {
  if (!is(response, NS.protocol, 'Response') || attributeOf(response, 'Version') !== '2.0') {
    throw built('the signed element is not a Response of version 2.0');
  }
  const problem = statusProblem(response);
  if (problem !== null) throw problem;
  if (childrenOf(response, NS.assertion, 'Issuer').length > 0) {
    demandIssuer(response, expected.idpEntityId, 'Response');
  }
  const destination = attributeOf(response, 'Destination');
  if (destination === null ? expected.responseSigned : destination !== expected.acsUrl) {
    const what = destination === null ? 'nothing' : shown(destination);
    throw refused('destination_mismatch', `The Response is addressed to ${what} and not to ${expected.acsUrl}.`);
  }
  checkInResponseTo(response, expected);
}

function checkInResponseTo(response: XmlElement, { requestId, allowIdpInitiated }: Expectations): void {
  const answered = attributeOf(response, 'InResponseTo');
  if (requestId === null && answered === null && !allowIdpInitiated) {
    throw refused('unsolicited', 'The IdP began this sign-in without a request, which this connection does not allow.');
  }
  if (answered !== requestId) {
    throw refused('in_response_to_mismatch', 'The Response does not answer the request of this sign-in.');
  }
}

function checkConditions(conditions: XmlElement, expected: Expectations): void {
  checkWindow(conditions, expected);
  const known = ['AudienceRestriction', 'OneTimeUse', 'ProxyRestriction'];
  if (conditions.children.some((child) => !known.some((name) => is(child, NS.assertion, name)))) {
    // A condition that is not understood makes the assertion invalid (SAML Core §2.5.1.1).
    throw built('the assertion has a condition that is not known');
  }
  const restrictions = childrenOf(conditions, NS.assertion, 'AudienceRestriction');
  const named = (restriction: XmlElement) =>
    childrenOf(restriction, NS.assertion, 'Audience').some((audience) => uriOf(audience) === expected.spEntityId);
  if (restrictions.length === 0 || !restrictions.every(named)) {
    throw refused('audience_mismatch', `The assertion is not meant for ${expected.spEntityId}.`);
  }
}

/**
 * Demands one bearer confirmation that is valid in every respect.
 *
 * @returns the end of its validity, in milliseconds
 */
function checkConfirmations(subject: XmlElement, answered: string | null, expected: Expectations): number {
  const bearers = childrenOf(subject, NS.assertion, 'SubjectConfirmation').filter(
    (confirmation) => attributeOf(confirmation, 'Method') === BEARER,
  );
  let first: SamlRefused | null = null;
  for (const bearer of bearers) {
    try {
      return checkConfirmationData(one(bearer, 'SubjectConfirmationData'), answered, expected);
    } catch (error) {
      if (!(error instanceof SamlRefused)) throw error;
      first ??= error;
    }
  }
  throw first ?? built('the assertion has no bearer confirmation');
}

function checkConfirmationData(data: XmlElement, answered: string | null, expected: Expectations): number {
  if (attributeOf(data, 'Recipient') !== expected.acsUrl) {
    const recipient = shown(attributeOf(data, 'Recipient') ?? '');
    throw refused('recipient_mismatch', `The assertion is meant for ${recipient} and not for ${expected.acsUrl}.`);
  }
  if (attributeOf(data, 'NotBefore') !== null) throw built('a bearer confirmation has a NotBefore');
  const until = momentOf(data, 'NotOnOrAfter');
  if (until === null) throw built('a bearer confirmation has no NotOnOrAfter');
  checkWindow(data, expected);
  const request = attributeOf(data, 'InResponseTo');
  // In an unsigned Response only the assertion can say which request it answers (SAML Profiles §4.1.4.3).
  const unsaid = request === null && (answered === null || expected.responseSigned);
  if (!unsaid && request !== expected.requestId) {
    throw refused('in_response_to_mismatch', 'The assertion does not answer the request of this sign-in.');
  }
  return until.getTime();
}

function readAuthnStatements(
  assertion: XmlElement,
  expected: Expectations,
): Pick<SamlSignIn, 'authenticatedAt' | 'sessionEnds' | 'idpSession' | 'otherIdpSessions' | 'authContext'> {
  const statements = childrenOf(assertion, NS.assertion, 'AuthnStatement');
  const [statement] = statements;
  if (statement === undefined) throw built('the assertion has no AuthnStatement');
  const ends = statements
    .map((each) => momentOf(each, 'SessionNotOnOrAfter'))
    .filter((end) => end !== null)
    .sort((a, b) => a.getTime() - b.getTime());
  const sessionEnds = ends[0] ?? null;
  // No clock skew for `SessionNotOnOrAfter`: the session would start expired.
  if (sessionEnds !== null && expected.now.getTime() >= sessionEnds.getTime()) {
    throw refused('assertion_expired', 'The session at the IdP has ended already.');
  }
  const [context] = childrenOf(statement, NS.assertion, 'AuthnContext');
  const [reference] = context === undefined ? [] : childrenOf(context, NS.assertion, 'AuthnContextClassRef');
  const authContext = reference === undefined ? null : bounded(uriOf(reference), 'AuthnContextClassRef');
  if (expected.authnContexts.length > 0 && !expected.authnContexts.includes(authContext ?? '')) {
    throw refused(
      'authentication_too_weak',
      `The IdP says ${shown(authContext ?? '')} for the authentication, which this connection does not accept.`,
    );
  }
  const indexes = statements.map((each) => bounded(attributeOf(each, 'SessionIndex'), 'SessionIndex'));
  const [idpSession = null, ...others] = new Set(indexes.filter((index) => index !== null));
  return {
    authenticatedAt: latestAuthentication(statements),
    sessionEnds,
    idpSession,
    otherIdpSessions: others.slice(0, MAX_OTHER_SESSIONS),
    authContext,
  };
}

function latestAuthentication(statements: readonly XmlElement[]): Date | null {
  const instants = statements.map((each) => readMoment(attributeOf(each, 'AuthnInstant') ?? ''));
  return instants.filter((instant) => instant !== null).sort((a, b) => b.getTime() - a.getTime())[0] ?? null;
}

/**
 * Demands NotBefore ≤ now < NotOnOrAfter, each widened by the skew. A missing limit limits nothing (SAML Core
 * §2.5.1.2).
 */
function checkWindow(element: XmlElement, { now, skewMs }: Moments): void {
  const from = momentOf(element, 'NotBefore');
  const until = momentOf(element, 'NotOnOrAfter');
  if (from !== null && now.getTime() + skewMs < from.getTime()) {
    throw refused('assertion_not_yet_valid', `The assertion is valid only from ${from.toISOString()}.`);
  }
  if (until !== null && now.getTime() - skewMs >= until.getTime()) {
    throw refused('assertion_expired', `The assertion was valid until ${until.toISOString()}.`);
  }
}

function one(parent: XmlElement, name: string): XmlElement {
  const [found, second] = childrenOf(parent, NS.assertion, name);
  if (found === undefined || second !== undefined) throw built(`${parent.name} must have one ${name}`);
  return found;
}

/** Returns the address in an element that holds text alone. */
function uriOf(element: XmlElement): string | null {
  return element.children.length === 0 ? collapsed(element.text) : null;
}

function built(what: string): SamlRefused {
  return refused('structure_refused', `The structure of the message is invalid: ${what}.`);
}

function refused(reason: SamlRefusalReason, message: string): SamlRefused {
  return new SamlRefused(reason, message);
}
