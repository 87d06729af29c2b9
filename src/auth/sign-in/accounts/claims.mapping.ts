import { urlOf } from '../../../base/url.js';
import { trimOf } from '../../../base/characters.js';
import type { Connection } from '../../connections/connection.js';
import { domainOf } from '../../connections/domains/domain.rules.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { OIDC_NAMES, SAML_NAMES } from './claim-names.js';
import { firstOf, claimText } from './claim-values.js';
import { roleClaim, type RoleClaim } from './role-claim.rules.js';

/** The person whom an IdP names, in our words; not matched with a user yet. */
export interface ClaimedAccount {
  subject: string;
  /** Whether the IdP never reuses the subject: `sub` (OIDC Core §5.7), a persistent NameID. */
  subjectIsStable: boolean;
  /** Whether the subject is an e-mail address, which the IdP may give to another person. */
  subjectIsEmail: boolean;
  /** The value that should equal SCIM `externalId`; null: the IdP did not send it. */
  link: string | null;
  userName: string | null;
  /** Whether no claim names the user, so that `userName` is the subject, and the subject is an e-mail. */
  userNameIsEmail: boolean;
  email: string | null;
  /** False when the IdP calls the e-mail unverified, or sends an unclear value. */
  emailTrusted: boolean;
  /** Whether the IdP calls the e-mail verified. Most IdPs send nothing. */
  emailVerified: boolean;
  /** The e-mail's domain in its ASCII form. */
  emailDomain: string | null;
  firstName: string | null;
  lastName: string | null;
  displayName: string | null;
  externalId: string | null;
  role: RoleClaim;
  /** The name of the account on pages and in the log. */
  shown: string;
}

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const ADDRESS = /^[^\s@]+@[^\s@]+$/;
const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
/** Maps a verified sign-in by the claim map of the connection, or by the usual names. */
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

/** An attribute that an administrator names as the subject may be reused by the IdP. */
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
 * Whether an e-mail is trusted. `email_verified` is a boolean (OIDC Core §5.1), and a text at some IdPs. Without it the
 * verified domain is enough, unless UserInfo, which may carry it, could not be read. Any other value is a no.
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

/** Removes ASCII blanks from both ends. Other blanks belong to the value. */
function asciiTrimmed(text: string): string {
  return trimOf(text, ' \t\r\n');
}
