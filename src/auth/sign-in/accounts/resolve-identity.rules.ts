import { emailKey, emailAddress } from '../../../directory-sync/users/user.mapping.js';
import type { Binding, LinkKind, Replaced, StoredBinding } from '../../../tenancy/sessions/session.js';
import type { EmailTrust } from '../../connections/connection.js';
import type { SignInRefusalReason } from '../sign-in.errors.js';
import {
  type Candidate,
  type IdentityRefusal,
  emailRefusal,
  isComparable,
  isContradicted,
  isGivenAway,
  isItsName,
  isRenamed,
  isUnprovenBinding,
  mayRebind,
  provenBinding,
  accountRefusalOf,
  renewed,
  restsOnEmail,
  sameLetters,
} from './account.rules.js';
import type { EmailClaimant } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';

export interface ConnectionFacts {
  readonly slug: string;
  readonly type: 'oidc' | 'saml';
  readonly paired: boolean;
  /** Whether an administrator has named the claim that equals SCIM `externalId`. */
  readonly claimIsNamed: boolean;
  readonly emailTrust: EmailTrust;
  readonly creates: boolean;
}

/** The facts in the database about a sign-in, beside the binding of its subject. */
export interface Evidence {
  readonly connection: ConnectionFacts;
  readonly account: ClaimedAccount;
  /** The user of the live binding; null when there is no live binding, or its user is removed. */
  readonly bound: Candidate | null;
  /** Of the paired directory, with `account.link` as `externalId`. */
  readonly byId: readonly Candidate[];
  /** Of the paired directory, with `account.userName`. */
  readonly byUserName: readonly Candidate[];
  /** Active ones, or where there are none, inactive ones. */
  readonly byEmail: readonly Candidate[];
  /** Users who have the e-mail, or the subject where that is an e-mail, or are held and request it. */
  readonly emailClaimants: readonly EmailClaimant[];
  /** Those of `byEmail` who own or administer the tenant. */
  readonly administrators: readonly string[];
  readonly ownsDomain: boolean;
  /** The connection to which the tenant has bound the domain of the e-mail; null when there is none. */
  readonly boundTo: string | null;
  /** Who has verified the domain of the e-mail. */
  readonly domain: 'unclaimed' | 'this_tenant' | 'other_connection' | 'other_tenant';
  readonly deleted: string | null;
  readonly bindings: readonly Binding[];
}

export type IdentityDecision =
  /** The subject stays with its user. `newlyProven`: the binding was unproven, and its proof has to hold at the commit. */
  | { kind: 'keep'; user: Candidate; binding: Binding; newlyProven: boolean }
  /** The subject is linked to a user, for the first time or in place of `replaces`. */
  | { kind: 'rebind'; user: Candidate; binding: Binding; linkedBy: LinkKind | 'moved'; replaces: Replaced }
  /** A user is created. `proven`: the e-mail is in a verified domain of the tenant. */
  | { kind: 'create'; email: string; proven: boolean }
  | IdentityRefusal;

export function refuse(reason: SignInRefusalReason, message: string, userId: string | null = null): IdentityRefusal {
  return { kind: 'refuse', reason, message, userId };
}

function contradiction(account: ClaimedAccount, user: Candidate): IdentityRefusal {
  const ids = `known is ${quoted(user.external_id ?? '')}, sent is ${quoted(account.link ?? '')}`;
  return refuse('bound_to_another', `the directory has another id for the user than the IdP sent: ${ids}`, user.id);
}

/** Names the step that makes a domain of the tenant count here. */
function domainRefusal(refusal: IdentityRefusal, { connection, account, domain, boundTo }: Evidence): IdentityRefusal {
  const bind = `domain bind ${account.emailDomain ?? '?'} --connection-id ${connection.slug}`;
  if (domain === 'other_connection') {
    const why = `the domain ${account.emailDomain ?? '?'} is bound to another connection (${boundTo ?? '?'}). To move it: ${bind}`;
    return { ...refusal, message: why, domainCase: 'other_connection' };
  }
  if (domain !== 'this_tenant') return refusal;
  return { ...refusal, message: `${refusal.message}. To bind it: ${bind}`, domainCase: 'not_bound' };
}

/**
 * Returns the refusal of an e-mail that several users have or request; null when it means this user alone, or no user.
 *
 * @param user the user to whom the e-mail would lead
 */
function ambiguityOf(email: string, user: Candidate | null, evidence: Evidence): IdentityRefusal | null {
  const foreign = user === null ? [] : foreignClaimsOf(user, evidence);
  const claimants = claimantsOf(email, evidence).filter((one) => !foreign.includes(one));
  const others = claimants.filter(({ id }) => id !== user?.id);
  if (others.length < (user === null ? 2 : 1)) return null;
  const each = claimants.map(({ id, requests }) => `${id} ${requests ? 'requests' : 'has'} it`);
  if (user !== null && claimants.length === others.length) each.unshift(`${user.id} is found by it`);
  const why = `the e-mail ${quoted(email)} does not identify one user: ${each.join(', ')}. Correct it in the directory`;
  return refuse('email_ambiguous', why, user?.id ?? claimants[0]!.id);
}

/**
 * Returns the held users of other directories who request an e-mail that a user has in force. Their claims do not count: a
 * directory would lock out users of another one by writing their e-mails.
 */
export function foreignClaimsOf(
  user: Candidate,
  { emailClaimants }: Pick<Evidence, 'emailClaimants'>,
): EmailClaimant[] {
  const inForce = emailClaimants.filter(({ id, requests }) => id === user.id && !requests);
  return emailClaimants.filter(
    ({ id, requests, directory_id: directoryId, email_key: key }) =>
      requests && id !== user.id && directoryId !== user.directory_id && inForce.some((own) => own.email_key === key),
  );
}

export function claimantsOf(email: string, { emailClaimants }: Evidence): EmailClaimant[] {
  const key = emailKey(email);
  return emailClaimants.filter((one) => one.email_key === key);
}

export function quoted(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}

interface Match {
  user: Candidate;
  by: LinkKind;
  value: string;
}

/**
 * Decides which user a verified sign-in leads to: the user of its binding, else the user whom the paired directory names by the
 * immutable id or the user name, else the user with an e-mail in a verified domain, else a new user.
 *
 * @param binding the binding of the subject, live or ended
 */
export function resolveIdentity(binding: StoredBinding | null, evidence: Evidence): IdentityDecision {
  const live = binding === null || binding.ended ? null : binding;
  if (live !== null && evidence.bound !== null) return admitted(ofBinding(live, evidence.bound, evidence));
  const match = firstMatch(evidence);
  if (match !== null && !isRefusal(match)) return admitted(link(match, live?.user_id ?? null, evidence));
  // A live binding without its user was written while the user was being removed.
  // An e-mail that two users have or request now is ambiguous, although a deleted user had it before.
  const byName = match?.reason === 'email_ambiguous' ? null : evidence.deleted;
  const deleted = live !== null || binding?.removed === true ? binding!.user_id : byName;
  if (deleted !== null) return refuse('account_deleted', 'the user was deleted', deleted);
  return creation(match ?? refuse('unknown_account', 'no user of the tenant matches'), evidence);
}

/** Whether the user of the binding has been renamed, or the IdP sends another immutable id than the directory has. */
export function isDisputed(
  binding: Binding,
  bound: Candidate,
  { connection, account }: Pick<Evidence, 'connection' | 'account'>,
): boolean {
  const contradicted = connection.paired && isContradicted(bound, account, connection.claimIsNamed);
  return contradicted || isRenamed(binding, bound);
}

function ofBinding(binding: Binding, bound: Candidate, evidence: Evidence): IdentityDecision {
  const other = otherUserOf(binding, bound, evidence);
  if (other !== null) return isRefusal(other) ? other : link(other, binding.user_id, evidence);
  const { account, connection, ownsDomain } = evidence;
  if (restsOnEmail(binding, account, connection.claimIsNamed)) {
    const ambiguity = ambiguityOf(account.subject, bound, evidence);
    if (ambiguity !== null) return ambiguity;
  }
  const sameEmail = bound.email !== null && account.email !== null && sameLetters(bound.email, account.email);
  const newlyProven =
    isUnprovenBinding(binding) && sameEmail && emailRefusal(account, ownsDomain, connection.emailTrust) === null;
  const now = newlyProven ? { ...binding, ...provenBinding(account, account.email!) } : binding;
  return { kind: 'keep', user: bound, binding: renewed(now, bound, account), newlyProven };
}

/** Returns the user whom the subject now belongs to; null when the bound user keeps the subject. */
function otherUserOf(binding: Binding, bound: Candidate, evidence: Evidence): Match | IdentityRefusal | null {
  const { connection, account } = evidence;
  const contradicted = connection.paired && isContradicted(bound, account, connection.claimIsNamed);
  // An IdP that reuses names has given this one to another user, known by the id or by the name in the directory.
  const other =
    (contradicted ? matchById(evidence) : null) ??
    (isRenamed(binding, bound) ? heirOf(binding, evidence) : null) ??
    (contradicted ? matchByOwnName(evidence) : null);
  if (other !== null && (isRefusal(other) || other.user.id !== bound.id)) return other;
  // The directory does not know the new owner of the name yet: until then the former owner cannot sign in.
  return contradicted && !account.subjectIsStable ? contradiction(account, bound) : null;
}

/** The user who has the value that a binding was made of, since the bound user lost it. */
function heirOf(binding: Binding, evidence: Evidence): Match | null {
  const found = evidence.connection.paired ? matchByDirectory(evidence) : null;
  const heir = found ?? (isItsName(binding) ? matchByEmail(evidence) : null);
  return heir !== null && !isRefusal(heir) && isGivenAway(binding, heir) ? heir : null;
}

function firstMatch(evidence: Evidence): Match | IdentityRefusal | null {
  return (evidence.connection.paired ? matchByDirectory(evidence) : null) ?? matchByEmail(evidence);
}

function matchByDirectory(evidence: Evidence): Match | IdentityRefusal | null {
  const known = matchById(evidence);
  if (known !== null) return known;
  const { userName, userNameIsEmail, emailTrusted } = evidence.account;
  // A user name that is an e-mail is no better than the e-mail, which the IdP calls unverified.
  if (userName === null || (!emailTrusted && userName.includes('@'))) return null;
  const user = only(evidence.byUserName.filter((one) => sameLetters(one.user_name, userName)));
  if (user === null) return null;
  const ambiguity = userNameIsEmail ? ambiguityOf(userName, user, evidence) : null;
  return ambiguity ?? { user, by: 'user_name', value: user.user_name };
}

function matchById(evidence: Evidence): Match | IdentityRefusal | null {
  const { account, connection, byId } = evidence;
  const { link, subject, subjectIsEmail } = account;
  const user = link === null ? null : only(byId);
  if (user === null) return null;
  // Without a named claim the subject is compared with `externalId`, and an e-mail is no immutable id.
  const isEmail = subjectIsEmail && link === subject && !connection.claimIsNamed;
  return (isEmail ? ambiguityOf(subject, user, evidence) : null) ?? { user, by: 'claim', value: link! };
}

/** The user whom the directory calls by the very name that is the subject. */
function matchByOwnName(evidence: Evidence): Match | null {
  const { subject, subjectIsStable } = evidence.account;
  const found = subjectIsStable ? null : matchByDirectory(evidence);
  if (found === null || isRefusal(found)) return null;
  return found.by === 'user_name' && sameLetters(found.value, subject) ? found : null;
}

function matchByEmail(evidence: Evidence): Match | IdentityRefusal | null {
  const { connection, account, ownsDomain, byEmail, administrators } = evidence;
  const { email } = account;
  if (email === null) return null;
  const refusal = emailRefusal(account, ownsDomain, connection.emailTrust);
  if (refusal !== null) return refusal.reason === 'email_outside_domains' ? domainRefusal(refusal, evidence) : refusal;
  // The e-mail of a leaver may be a newcomer's by now. The leaver signs in by its own binding until the departure is released.
  const user = only(byEmail.filter((one) => !one.leaving && one.email !== null && sameLetters(one.email, email)));
  const ambiguity = ambiguityOf(email, user, evidence);
  if (ambiguity !== null) return ambiguity;
  if (user === null) return null;
  // Many OIDC IdPs let users and guests write any e-mail (nOAuth). An administrator's account would give away the tenant.
  if (connection.type === 'oidc' && !account.emailVerified && administrators.includes(user.id)) {
    const why =
      'the user is the owner or an admin, who are found by an e-mail only where the IdP says email_verified: true; pair the connection with their directory, or have the IdP send the claim';
    return refuse('email_unverified', why, user.id);
  }
  return { user, by: 'email', value: email };
}

function link({ user, by, value }: Match, formerUser: string | null, evidence: Evidence): IdentityDecision {
  const { account, connection, bindings } = evidence;
  if (by !== 'claim' && connection.paired && isContradicted(user, account, connection.claimIsNamed)) {
    return contradiction(account, user);
  }
  const own = bindings.find(({ user_id }) => user_id === user.id);
  const former = own === undefined || own.subject === account.subject ? null : own;
  const sure = isComparable(user, account, connection.claimIsNamed);
  if (former !== null && !mayRebind(former, user, { subject: account.subject, by, value, sure }, connection.paired)) {
    const why = `the user signs in here as another subject: known is ${quoted(former.subject)}, the IdP now says ${quoted(account.subject)}. If the IdP changed what it sends as subject (NameID format, sub) for all users: connection forget-subjects ${connection.slug} --dry-run; for this user alone: identity release`;
    return refuse('bound_to_another', why, user.id);
  }
  return {
    kind: 'rebind',
    user,
    binding: { subject: account.subject, user_id: user.id, made_by: by, made_of: value },
    linkedBy: former === null ? by : 'moved',
    replaces: { subject: former?.subject ?? null, userId: formerUser },
  };
}

/** Returns a new user where one may be created; else `refusal`, or the reason why none can be created. */
function creation(refusal: IdentityRefusal, evidence: Evidence): IdentityDecision {
  const { connection, account, domain, ownsDomain, byEmail } = evidence;
  const isOpen = refusal.reason === 'unknown_account' || refusal.reason === 'email_outside_domains';
  if (!connection.creates || connection.paired || !isOpen) return refusal;
  if (account.email === null) return refuse('email_missing', 'a new user needs an e-mail, and the IdP sent none');
  const email = emailAddress(account.email);
  if (email === null || account.emailDomain === null) {
    return refuse('email_missing', 'the e-mail that the IdP sent is not an address');
  }
  // The e-mail is trusted: `emailRefusal` refuses for that before it looks at the domain.
  if (domain === 'other_tenant') {
    return refuse('email_outside_domains', 'the domain of the e-mail belongs to another tenant');
  }
  if (domain === 'other_connection') {
    return domainRefusal(refuse('email_outside_domains', ''), evidence);
  }
  const ambiguity = ambiguityOf(email, null, evidence);
  if (ambiguity !== null) return ambiguity;
  const [holder, ...others] = byEmail;
  if (holder === undefined) {
    const [requester] = claimantsOf(email, evidence);
    if (requester !== undefined) return refuse('account_taken', 'another user requests this e-mail', requester.id);
    return { kind: 'create', email, proven: ownsDomain && domain === 'this_tenant' };
  }
  const userId = others.length === 0 ? holder.id : null;
  return holder.status === 'active'
    ? refuse('account_taken', 'another user has this e-mail', userId)
    : refuse('account_inactive', 'the user with this e-mail is deactivated', userId);
}

function admitted(decision: IdentityDecision): IdentityDecision {
  if (decision.kind !== 'keep' && decision.kind !== 'rebind') return decision;
  return accountRefusalOf(decision.user) ?? decision;
}

function isRefusal(found: Match | IdentityRefusal): found is IdentityRefusal {
  return 'kind' in found;
}

function only(users: readonly Candidate[]): Candidate | null {
  return users.length === 1 ? users[0]! : null;
}
