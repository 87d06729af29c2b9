import { trimOf } from '../../../base/characters.js';
import { urlOf } from '../../../base/url.js';
import type { Connection } from '../../connections/connection.js';
import { domainOf } from '../../connections/domains/domain.rules.js';
import type { VerifiedSignIn } from './verified-sign-in.js';

const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/';
const MICROSOFT = 'http://schemas.microsoft.com/identity/claims/';
const MACE = 'urn:mace:dir:attribute-def:';
const WS = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/';

/** The sign-in name at Entra and ADFS; elsewhere (Auth0) the display name. */
const WS_NAME = `${SOAP}name`;

/**
 * The usual names of SAML attributes, in the order in which they are tried: plain names (Okta, Google, OneLogin; with capitals
 * Duo, JumpCloud and Keycloak), WS-Federation names (Entra, ADFS), LDAP object ids (Shibboleth, SimpleSAMLphp) and their former
 * names (MACE).
 */
export const SAML_NAMES = {
  email: [
    'email',
    'mail',
    'emailAddress',
    'emailaddress',
    `${SOAP}emailaddress`,
    'urn:oid:0.9.2342.19200300.100.1.3',
    'urn:oid:1.2.840.113549.1.9.1',
    'User.email',
    'Email',
    'EmailAddress',
    'http://schemas.xmlsoap.org/claims/EmailAddress',
    `${MACE}mail`,
  ],
  userName: [
    'userName',
    'username',
    'login',
    `${SOAP}upn`,
    WS_NAME,
    'urn:oid:1.3.6.1.4.1.5923.1.1.1.6',
    'UserName',
    'Username',
    `${MACE}eduPersonPrincipalName`,
  ],
  firstName: [
    'firstName',
    'first_name',
    'givenName',
    'given_name',
    `${SOAP}givenname`,
    'urn:oid:2.5.4.42',
    'User.FirstName',
    'FirstName',
    'firstname',
    `${MACE}givenName`,
  ],
  lastName: [
    'lastName',
    'last_name',
    'surname',
    'sn',
    'family_name',
    `${SOAP}surname`,
    'urn:oid:2.5.4.4',
    'User.LastName',
    'LastName',
    'lastname',
    `${MACE}sn`,
  ],
  displayName: [
    'displayName',
    'name',
    `${MICROSOFT}displayname`,
    'urn:oid:2.16.840.1.113730.3.1.241',
    'cn',
    `${MACE}displayName`,
  ],
  roles: [
    'roles',
    'role',
    `${WS}role`,
    'groups',
    'memberOf',
    'Role',
    `${WS}groups`,
    'http://schemas.xmlsoap.org/claims/Group',
  ],
  link: [`${MICROSOFT}objectidentifier`],
};
/** The claims of OpenID Connect (Core §5.1), and Entra's `upn`. */
const OIDC_NAMES = {
  email: ['email'],
  userName: ['preferred_username', 'upn'],
  firstName: ['given_name'],
  lastName: ['family_name'],
  displayName: ['name'],
  roles: ['roles', 'groups'],
};

/** The attributes by which Entra marks in SAML that a user has more groups than it sends (over 150). */
const GROUPS_LINKS = ['http://schemas.microsoft.com/claims/groups.link', `${WS}groups.link`];
/** The attributes of application roles, which Entra always sends whole. */
const APP_ROLE_NAMES: ReadonlySet<string> = new Set(['roles', 'role', 'Role', `${WS}role`]);

export type Claims = Readonly<Record<string, unknown>>;

/** Returns the one text of a claim: a string, or a list whose entries are equal or empty. */
function claimText(claims: Claims, name: string): string | null {
  let value: unknown = claimOf(claims, name);
  if (Array.isArray(value)) {
    const said = new Set((value as unknown[]).filter((one) => typeof one !== 'string' || one.trim() !== ''));
    value = said.size === 1 ? [...said][0] : undefined;
  }
  return typeof value === 'string' && value.trim() !== '' && value.length <= 1_024 ? value : null;
}

/** Returns a claim by its name, else by its path: `realm_access.roles` (Keycloak). A null claim is absent. */
function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name) && claims[name] !== null) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[step];
  }
  return value ?? undefined;
}

export function firstOf(claims: Claims, names: readonly string[]): string | null {
  for (const name of names) {
    const text = claimText(claims, name);
    if (text !== null && (name !== WS_NAME || /[@\\]/.test(text))) return text;
  }
  return null;
}

/**
 * The roles that an IdP sends. No value takes the role away, unless the IdP marks that it has left values out: Entra sends no
 * groups of a user who has more than fit into a token.
 */
export type RoleClaim =
  | { readonly kind: 'values'; readonly values: readonly string[] }
  /** `why`: the mark of the IdP, in words for the sign-in log. */
  | { readonly kind: 'left_out'; readonly why: string };

const MAX_VALUES = 1_000;

/**
 * Reads the claim that the role map of a connection is compared with: the mapped one, else the usual ones.
 *
 * @param claims without those that came by a FriendlyName alone
 * @param userInfoProblem why UserInfo, which may have the claim, could not be read; null when it was read or not wanted
 */
export function roleClaim(
  { type, claimMap }: Pick<Connection, 'type' | 'claimMap'>,
  claims: Claims,
  userInfoProblem: string | null,
): RoleClaim {
  const usual = type === 'saml' ? SAML_NAMES.roles : OIDC_NAMES.roles;
  const names = claimMap.role === undefined ? usual : [claimMap.role];
  const values = names.map((name) => valuesOf(claims, name)).find((some) => some.length > 0);
  if (values !== undefined) return { kind: 'values', values };
  const mark = type === 'saml' ? samlMark(claims, names) : oidcMark(claims, names);
  if (mark !== null) return { kind: 'left_out', why: `the user has more groups than the IdP sends (${mark})` };
  const isAbsent = names.every((name) => claimOf(claims, name) === undefined);
  if (userInfoProblem !== null && isAbsent)
    return { kind: 'left_out', why: 'UserInfo, which may have the role claim, could not be read' };
  return { kind: 'values', values: [] };
}

function valuesOf(claims: Claims, name: string): string[] {
  const value = claimOf(claims, name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, MAX_VALUES);
}

/** Returns the mark of a distributed claim (OIDC Core §5.6.2), or Entra's mark of left-out groups. */
function oidcMark(claims: Claims, names: readonly string[]): string | null {
  const tops = names.flatMap((name) => [name, name.split('.')[0]!]);
  const sources = claims['_claim_names'];
  const isObject = typeof sources === 'object' && sources !== null && !Array.isArray(sources);
  if (isObject && tops.some((name) => Object.hasOwn(sources, name))) return '_claim_names';
  const { hasgroups } = claims;
  return (hasgroups === true || hasgroups === 'true') && tops.includes('groups') ? 'hasgroups' : null;
}

/** Returns Entra's mark of left-out groups, whose attribute an admin can name freely there. */
function samlMark(claims: Claims, names: readonly string[]): string | null {
  const isForGroups = names.some((name) => !APP_ROLE_NAMES.has(name));
  return isForGroups && firstOf(claims, GROUPS_LINKS) !== null ? 'groups.link' : null;
}

/** The person whom an IdP names; not matched with a user yet. */
export interface ClaimedAccount {
  subject: string;
  /** Whether the IdP never reuses the subject: `sub` (OIDC Core §5.7), a persistent NameID. */
  subjectIsStable: boolean;
  /** Whether the subject is an e-mail address, which the IdP may give to another person. */
  subjectIsEmail: boolean;
  /** The value that should equal SCIM `externalId`; null when the IdP did not send it. */
  link: string | null;
  userName: string | null;
  /** Whether no claim names the user: `userName` is the subject, which is an e-mail. */
  userNameIsEmail: boolean;
  email: string | null;
  /** False when the IdP calls the e-mail unverified, or sends an unclear value. */
  emailTrusted: boolean;
  /** Whether the IdP calls the e-mail verified. Most IdPs send nothing. */
  emailVerified: boolean;
  emailDomain: string | null;
  firstName: string | null;
  lastName: string | null;
  displayName: string | null;
  externalId: string | null;
  role: RoleClaim;
  shown: string;
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

export function claimedAccount(connection: Connection, verified: VerifiedSignIn): ClaimedAccount {
  const { claims, subject } = verified;
  const sure = sureOf(verified);
  const names = connection.type === 'saml' ? SAML_NAMES : OIDC_NAMES;
  const map = connection.claimMap;
  const text = (mapped: string | undefined, usual: readonly string[], from = claims): string | null =>
    mapped !== undefined ? claimText(from, mapped) : firstOf(from, usual);
  const { nameId } = verified;
  const nameIdEmail = nameId !== null && isMailbox(nameId.format, nameId.value) ? nameId.value : null;
  const email = text(map.email, names.email, sure) ?? (map.email === undefined ? nameIdEmail : null);
  const named = text(map.user_name, names.userName, sure);
  const userName = named ?? (map.user_name === undefined && connection.type === 'saml' ? subject : null);
  const subjectIsStable = isStable(connection, verified);
  const subjectIsEmail = !subjectIsStable && ADDRESS.test(subject);
  return {
    subject,
    subjectIsStable,
    subjectIsEmail,
    link: linkOf(connection, verified, sure),
    userName,
    userNameIsEmail: named === null && userName !== null && subjectIsEmail,
    email: email === null ? null : asciiTrimmed(email),
    emailTrusted: isTrusted(claims['email_verified'], verified.userInfoProblem ?? null),
    emailVerified: isVerified(claims['email_verified']),
    emailDomain: email === null ? null : domainOf(asciiTrimmed(email)),
    firstName: text(map.first_name, names.firstName),
    lastName: text(map.last_name, names.lastName),
    displayName: firstOf(claims, names.displayName),
    externalId: map.external_id === undefined ? null : claimText(sure, map.external_id),
    role: roleClaim(connection, sure, verified.userInfoProblem ?? null),
    shown: (email ?? userName ?? subject).slice(0, 320),
  };
}

/** Whether an issuer is Entra, whose `sub` differs per application and whose `oid` is the person. */
function isEntra(issuer: string): boolean {
  const host = urlOf(issuer)?.hostname ?? '';
  return /(^|\.)(login\.microsoftonline\.(com|us)|login\.partner\.microsoftonline\.cn|sts\.windows\.net)$/.test(host);
}

/** The IdP may reuse an attribute that an administrator names as the subject. */
function isStable(connection: Connection, { nameId }: VerifiedSignIn): boolean {
  return connection.type === 'oidc' || (connection.subjectClaim === null && nameId?.format === PERSISTENT);
}

function linkOf(
  connection: Connection,
  { subject, nameId }: VerifiedSignIn,
  claims: VerifiedSignIn['claims'],
): string | null {
  if (connection.linkClaim !== null) {
    if (connection.linkClaim === 'sub') return subject;
    if (connection.linkClaim === 'NameID') return nameId?.value ?? subject;
    return claimText(claims, connection.linkClaim);
  }
  if (connection.type === 'saml') return firstOf(claims, SAML_NAMES.link) ?? subject;
  return isEntra(connection.issuer) ? claimText(claims, 'oid') : subject;
}

/**
 * Returns the claims without those that came by a FriendlyName alone. Only the Name identifies an attribute (SAML Core
 * §2.7.3.1), so identity and role are read from these claims.
 */
function sureOf({ claims, unsureNames }: VerifiedSignIn): VerifiedSignIn['claims'] {
  if (unsureNames === undefined || unsureNames.size === 0) return claims;
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !unsureNames.has(name)));
}

/**
 * `email_verified` is a boolean (OIDC Core §5.1), and a text at some IdPs. Without it the verified domain is enough, unless
 * UserInfo, which may carry it, could not be read. Any other value means no.
 */
function isTrusted(verified: unknown, userInfoProblem: string | null): boolean {
  if (verified === undefined || verified === null) return userInfoProblem === null;
  return isVerified(verified);
}

function isVerified(verified: unknown): boolean {
  return verified === true || verified === 'true';
}

function isMailbox(format: string | null, value: string): boolean {
  const says = format === EMAIL_FORMAT || format === null || format.endsWith(':unspecified');
  return says && ADDRESS.test(value);
}

/** Other blanks than those of ASCII belong to the value. */
function asciiTrimmed(text: string): string {
  return trimOf(text, ' \t\r\n');
}
