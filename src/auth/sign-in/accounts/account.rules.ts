import type { RoleOrigin } from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { Binding, LinkKind } from '../../../tenancy/sessions/session.js';
import type { EmailTrust } from '../../connections/connection.js';
import type { DomainCase, SignInRefusalReason } from '../sign-in.errors.js';
import type { ClaimedAccount, RoleClaim } from './claims.mapping.js';

const LOOK_ALIKES = /[\u2126\u212a\u212b]/;
/** Composing a run of combining marks takes quadratic time (UAX #15 §3), and no name is so long. */
const MOST_COMPOSED = 2_048;

/** Compares two names in NFC, without regard to case. A look-alike is another name. */
export function sameLetters(a: string, b: string): boolean {
  return lettersOf(a) === lettersOf(b);
}

function isAscii(text: string): boolean {
  return /^\p{ASCII}*$/u.test(text);
}

function lettersOf(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  if (text.length > MOST_COMPOSED || LOOK_ALIKES.test(text))
    return text.replace(/[A-Z]+/g, (some) => some.toLowerCase());
  // Some letters have one of A to Z as their lower case (\u0130).
  return text.normalize('NFC').replace(/\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return isAscii(letter) || !/[a-z]/.test(lower) ? lower : letter;
  });
}

export interface Candidate {
  id: string;
  directory_id: string | null;
  source: 'api' | 'scim' | 'sign-in';
  status: 'active' | 'inactive';
  seat: 'held' | 'none' | 'waiting';
  held: HeldReason | null;
  external_id: string | null;
  user_name: string;
  email: string | null;
  gone: boolean;
  /** In force, and the directory has asked for the departure, which is held. */
  leaving: boolean;
  /** Moves with everything that ends the user's sessions. */
  session_epoch: number;
}

/** `reason` and `message` are for the log; `userId` is the user whom the refusal concerns. */
export interface IdentityRefusal {
  kind: 'refuse';
  reason: SignInRefusalReason;
  message: string;
  userId: string | null;
  domainCase?: DomainCase;
}

/** Whether no proof links the user: created by sign-in, with an e-mail outside of the verified domains. */
export function isUnprovenBinding(binding: Binding): boolean {
  return binding.made_by === 'created' && binding.made_of === '';
}

interface Claim {
  subject: string;
  by: LinkKind;
  value: string;
  /** Whether the immutable id is certainly of the same kind as that of the directory (`isComparable`). */
  sure: boolean;
}

export function isRenamed(binding: Binding, person: Candidate): boolean {
  switch (binding.made_by) {
    case 'claim':
      return person.external_id !== binding.made_of;
    case 'user_name':
      return !sameLetters(person.user_name, binding.made_of);
    case 'email':
      return person.email === null || !sameLetters(person.email, binding.made_of);
    case 'created':
      return false;
  }
}

/**
 * Returns a binding with its value as the directory has it now. Where the subject is the name itself, the value stays:
 * `isGivenAway` and `mayRebind` decide about that name.
 */
export function renewed(binding: Binding, person: Candidate, account: ClaimedAccount): Binding {
  if (binding.made_by === 'claim' && account.link !== null && account.link === person.external_id) {
    return { ...binding, made_of: account.link };
  }
  if (isItsName(binding)) return binding;
  if (binding.made_by === 'user_name') return { ...binding, made_of: person.user_name };
  if (binding.made_by === 'email' && person.email !== null) return { ...binding, made_of: person.email };
  return binding;
}

/**
 * Whether a user who is bound to another subject of the connection may be bound to this one instead.
 *
 * By the immutable id: yes when the id is the same (Entra gives a new `sub` when an application is registered anew), when the
 * directory has given the user another id, or when a comparable id replaces a name. By a name: only when both subjects, old and
 * new, are the names themselves. Another subject outlives a rename, and the new name could be claimed by another person. So a
 * user who is known by an id is not found by a name.
 *
 * At any connection, an unproven binding gives way to any proof, and a name to the same name in other letters.
 */
export function mayRebind(binding: Binding, person: Candidate, match: Claim, paired: boolean): boolean {
  if (isUnprovenBinding(binding) || isSameName(binding, match)) return true;
  if (!paired) return false;
  const renamed = isRenamed(binding, person);
  if (match.by === 'claim') {
    if (binding.made_by === 'claim') return binding.made_of === match.value || renamed;
    return match.sure || (renamed && isItsName(binding));
  }
  return renamed && isItsName(binding) && sameLetters(match.subject, match.value);
}

/**
 * Returns how the binding of a created user is made once the e-mail is proven. When the e-mail is the subject itself and may be
 * reused, the binding is made by the e-mail and ends with it; else by the creation.
 */
export function provenBinding(
  { subject, subjectIsStable }: Pick<ClaimedAccount, 'subject' | 'subjectIsStable'>,
  email: string,
): { made_by: 'created' | 'email'; made_of: string } {
  const isName = !subjectIsStable && sameLetters(subject, email);
  return { made_by: isName ? 'email' : 'created', made_of: subject };
}

/** Whether the subject is the name that the binding was made of. Any other subject outlives that name. */
export function isItsName({ made_by, made_of, subject }: Binding): boolean {
  return (made_by === 'user_name' || made_by === 'email') && sameLetters(subject, made_of);
}

/**
 * Whether a binding leads to its user by an e-mail alone. The e-mail is then the subject, which the IdP may give to another
 * person, and neither the immutable id nor the user name that was sent confirms the user.
 */
export function restsOnEmail(binding: Binding, account: ClaimedAccount, claimIsNamed: boolean): boolean {
  const { subject, subjectIsEmail, link, userName, userNameIsEmail } = account;
  if (!subjectIsEmail) return false;
  switch (binding.made_by) {
    case 'claim':
      return link !== binding.made_of || (!claimIsNamed && link === subject);
    case 'user_name':
      return userNameIsEmail || userName === null || !sameLetters(userName, binding.made_of);
    case 'email':
    case 'created':
      return true;
  }
}

function isSameName(binding: Binding, { by, value, subject }: Claim): boolean {
  const isName = by === 'user_name' || by === 'email';
  return isName && isItsName(binding) && sameLetters(value, subject) && sameLetters(binding.subject, subject);
}

/**
 * Whether the value of a binding, which its user has lost, belongs to the matched user now. A match by the immutable id counts,
 * and a match by the same name only where the name is the subject: any other subject stays with its user.
 */
export function isGivenAway(binding: Binding, match: Pick<Claim, 'by' | 'value'>): boolean {
  if (match.by === 'claim') return binding.made_by !== 'claim' || match.value === binding.made_of;
  return isItsName(binding) && sameLetters(match.value, binding.made_of);
}

/** Entra's object ids; a directory has them as `externalId` once it is mapped so. */
const OBJECT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether the immutable id shows that another user signs in, for any sent name or e-mail. The id does when an administrator has
 * named the claim that equals `externalId`, or when both are object ids. Other ids may come from different sources, and a
 * difference proves nothing.
 */
export function isContradicted(person: Candidate, account: ClaimedAccount, claimIsNamed: boolean): boolean {
  return account.link !== person.external_id && isComparable(person, account, claimIsNamed);
}

/** Whether the sent id and the id in the directory are certainly of one kind. */
export function isComparable(person: Candidate, { link }: ClaimedAccount, claimIsNamed: boolean): boolean {
  if (link === null || person.external_id === null) return false;
  return claimIsNamed || (OBJECT_ID.test(link) && OBJECT_ID.test(person.external_id));
}

/** Returns why a user may not sign in; null when the user may. */
export function accountRefusalOf(user: Candidate): IdentityRefusal | null {
  if (user.status === 'active') return null;
  const refuse = (reason: SignInRefusalReason, why: string): IdentityRefusal => {
    return { kind: 'refuse', reason, message: `the user ${why}`, userId: user.id };
  };
  if (user.seat === 'waiting' || user.held === 'no_seat') return refuse('no_seat', 'waits for a free seat');
  if (user.held !== null) return refuse('account_held', `is held as ${user.held}`);
  return refuse('account_inactive', 'is deactivated');
}

export function isAnother(found: Candidate, now: Candidate): boolean {
  return (['directory_id', 'external_id', 'user_name', 'email', 'gone'] as const).some(
    (key) => found[key] !== now[key],
  );
}

/** Returns why a user may not be looked up by the e-mail; null when the e-mail is trusted, or absent. */
export function emailRefusal(account: ClaimedAccount, ownsDomain: boolean, trust: EmailTrust): IdentityRefusal | null {
  if (account.email === null) return null;
  const refuse = (reason: SignInRefusalReason, message: string): IdentityRefusal => {
    return { kind: 'refuse', reason, message, userId: null };
  };
  if (trust === 'verified' && !account.emailVerified) {
    const why = 'the IdP does not say email_verified: true, which this connection demands (email_trust)';
    return refuse('email_unverified', why);
  }
  if (!account.emailTrusted) {
    const why = 'the IdP calls the e-mail unverified, or UserInfo, which may say so, could not be read';
    return refuse('email_unverified', why);
  }
  if (ownsDomain) return null;
  const why = `the domain ${account.emailDomain ?? '?'} does not count for this connection: it has to be verified for the tenant and, where there are several connections, bound to this one (connection_id of the domain)`;
  return refuse('email_outside_domains', why);
}

interface GivenRole {
  role: string;
  origin: RoleOrigin;
}

/**
 * Returns the role of the first mapped value, else the default role; null when nothing is mapped, or the IdP has left values
 * out: neither gives or takes a role.
 */
export function roleByMap(
  claim: RoleClaim,
  connection: { roleMap: readonly (readonly [string, string])[]; defaultRole: string },
  known: { has(role: string): boolean },
): GivenRole | null {
  if (connection.roleMap.length === 0 || claim.kind === 'left_out') return null;
  const given = connection.roleMap.find(([value, role]) => claim.values.includes(value) && known.has(role));
  if (given === undefined) return defaultRoleOf(connection);
  const [value, role] = given;
  return { role, origin: { by: 'role_map', value } };
}

export function defaultRoleOf({ defaultRole }: { defaultRole: string }): GivenRole {
  return { role: defaultRole, origin: { by: 'default' } };
}
