import type { Connection } from '../connections/connection.js';
import { domainOf } from '../domains/domain.rules.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';

/** Whom an IdP has named, in our words; nothing here is somebody of ours yet. */
export interface ClaimedAccount {
  subject: string;
  /** The IdP never gives the subject to somebody else: OIDC's `sub` (OIDC Core §5.7), a persistent NameID. */
  subjectIsStable: boolean;
  /** What should equal SCIM `externalId`; null: the IdP did not send it. */
  link: string | null;
  userName: string | null;
  email: string | null;
  /** False when the IdP says that the e-mail is not verified, or says it in a way that nobody can be sure of. */
  emailTrusted: boolean;
  /** The e-mail's domain in its ASCII form. */
  emailDomain: string | null;
  firstName: string | null;
  lastName: string | null;
  displayName: string | null;
  externalId: string | null;
  /** The values of the role claim, as they came; null: it did not come. */
  roleValues: readonly string[] | null;
  /** By what the person knows the account: for the pages and the log. */
  shown: string;
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const MICROSOFT = 'http://schemas.microsoft.com/identity/claims/';

// What IdPs call these unless somebody has told them otherwise: plain words (Okta, Google, OneLogin), the WS-Federation
// names (Entra, ADFS) and the LDAP object ids (Shibboleth, SimpleSAMLphp).
const SAML_NAMES = {
  email: [
    'email',
    'mail',
    'emailAddress',
    'emailaddress',
    `${SOAP}emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    'User.email',
  ],
  userName: ['userName', 'username', 'login', `${SOAP}upn`, `${SOAP}name`, 'urn:oid:1.3.6.1.4.1.5923.1.1.1.6'],
  firstName: ['firstName', 'first_name', 'givenName', 'given_name', `${SOAP}givenname`, 'urn:oid:2.5.4.42', 'User.FirstName'],
  lastName: ['lastName', 'last_name', 'surname', 'sn', 'family_name', `${SOAP}surname`, 'urn:oid:2.5.4.4', 'User.LastName'],
  displayName: ['displayName', 'name', `${MICROSOFT}displayname`, 'urn:oid:2.16.840.1.113730.3.1.241', 'cn'],
  roles: ['roles', 'role', 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role', 'groups', 'memberOf'],
  link: [`${MICROSOFT}objectidentifier`],
}; // prettier-ignore
const OIDC_NAMES = {
  email: ['email'],
  userName: ['preferred_username', 'upn'],
  firstName: ['given_name'],
  lastName: ['family_name'],
  displayName: ['name'],
  roles: ['roles', 'groups'],
};

/** Reads what was verified with the connection's map, or under the usual names. Pure. */
export function claimedAccount(connection: Connection, verified: VerifiedSignIn): ClaimedAccount {
  const { claims, subject } = verified;
  const sure = sureOf(verified);
  const names = connection.type === 'saml' ? SAML_NAMES : OIDC_NAMES;
  const map = connection.claimMap;
  const text = (mapped: string | undefined, usual: readonly string[], from = claims): string | null =>
    mapped !== undefined ? textOf(from, mapped) : firstOf(from, usual);
  const nameIdEmail = verified.nameId !== null && isMailbox(verified.nameId.format, subject) ? subject : null;
  const email = text(map.email, names.email, sure) ?? (map.email === undefined ? nameIdEmail : null);
  const userName =
    text(map.user_name, names.userName, sure) ??
    (map.user_name === undefined && connection.type === 'saml' ? subject : null);
  return {
    subject,
    subjectIsStable: connection.type === 'oidc' || verified.nameId?.format === PERSISTENT,
    link: linkOf(connection, subject, sure),
    userName,
    email: email === null ? null : asciiTrimmed(email),
    emailTrusted: isTrusted(claims['email_verified'], verified.userInfoProblem ?? null),
    emailDomain: email === null ? null : domainOf(asciiTrimmed(email)),
    firstName: text(map.first_name, names.firstName),
    lastName: text(map.last_name, names.lastName),
    displayName: firstOf(claims, names.displayName),
    externalId: map.external_id === undefined ? null : textOf(sure, map.external_id),
    roleValues: map.role === undefined ? listOf(sure, names.roles) : listOf(sure, [map.role]),
    shown: (email ?? userName ?? subject).slice(0, 320),
  };
}

/** Entra's issuers: their `sub` is another one for each application, and `oid` is the person. */
function isEntra(issuer: string): boolean {
  const host = URL.canParse(issuer) ? new URL(issuer).hostname : '';
  return /(^|\.)(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$/.test(host);
}

function linkOf(connection: Connection, subject: string, claims: VerifiedSignIn['claims']): string | null {
  if (connection.linkClaim !== null) {
    const own = connection.linkClaim === 'sub' || connection.linkClaim === 'NameID';
    return own ? subject : textOf(claims, connection.linkClaim);
  }
  if (connection.type === 'saml') return firstOf(claims, SAML_NAMES.link) ?? subject;
  return isEntra(connection.issuer) ? textOf(claims, 'oid') : subject;
}

/**
 * The claims without those that came by a FriendlyName alone: an attribute is identified by its Name, and never by what
 * it is called for people (SAML Core §2.7.3.1). What decides who somebody is, or what they may do, is read from these.
 */
function sureOf({ claims, unsureNames }: VerifiedSignIn): VerifiedSignIn['claims'] {
  if (unsureNames === undefined || unsureNames.size === 0) return claims;
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !unsureNames.has(name)));
}

/**
 * OIDC Core §5.1: `email_verified` is a boolean; some IdPs write it as text. Many leave it out, and then the domain
 * carries the trust (contract §7), unless the place could not be read where doubt may stand. Anything else is not a yes.
 */
function isTrusted(verified: unknown, userInfoProblem: string | null): boolean {
  if (verified === undefined || verified === null) return userInfoProblem === null;
  return verified === true || verified === 'true';
}

function isMailbox(format: string | null, value: string): boolean {
  const says = format === EMAIL_FORMAT || format === null || format.endsWith(':unspecified');
  return says && /^[^\s@]+@[^\s@]+$/.test(value);
}

/** Without plain blanks around it; a blank of another alphabet is part of what was said. */
function asciiTrimmed(text: string): string {
  return text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
}

/** The one text of a claim: a string, or a list of one. Several are no answer to "which one". */
function textOf(claims: VerifiedSignIn['claims'], name: string): string | null {
  let value: unknown = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (Array.isArray(value)) value = value.length === 1 ? value[0] : undefined;
  return typeof value === 'string' && value.trim() !== '' && value.length <= 1_024 ? value : null;
}

function firstOf(claims: VerifiedSignIn['claims'], names: readonly string[]): string | null {
  for (const name of names) {
    const text = textOf(claims, name);
    if (text !== null) return text;
  }
  return null;
}

function listOf(claims: VerifiedSignIn['claims'], names: readonly string[]): string[] | null {
  let came = false;
  for (const name of names) {
    if (!Object.hasOwn(claims, name)) continue;
    came = true;
    const value: unknown = claims[name];
    const list = Array.isArray(value) ? (value as unknown[]) : [value];
    const texts = list.filter((one): one is string => typeof one === 'string' && one !== '');
    if (texts.length > 0) return texts.slice(0, 1_000);
  }
  return came ? [] : null;
}
