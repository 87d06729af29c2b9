import type { Binding, LinkKind, StoredBinding } from '../../../tenancy/sessions/session.js';
import { emailAddress } from '../../../directory-sync/users/user.mapping.js';
import {
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
  type Candidate,
  type IdentityRefusal,
} from './account.rules.js';
import { sameLetters } from './letters.rules.js';
import type { Evidence, IdentityDecision } from './identity-decision.js';
import { ambiguityOf, claimantsOf, contradiction, domainRefusal, quoted, refuse } from './identity-refusals.js';

interface Match {
  user: Candidate;
  by: LinkKind;
  value: string;
}

/**
 * Decides which user a verified sign-in leads to: the user of its binding, else the user whom the paired directory
 * names by the immutable id or the user name, else the user with an e-mail in a verified domain, else a new user.
 *
 * @param binding the binding of the subject, live or ended; null: there is none
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

/**
 * Whether a binding needs to be compared with other users: its user has been renamed, or the IdP sends another immutable id
 * than the directory has. All other bindings are kept as they are.
 */
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

/** The user whom the subject now belongs to instead of the bound one; null: the bound user keeps the subject. */
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

/** The user who has the value that a binding was made of, since the bound user has it no longer. */
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

/** Whether a sign-in without a user may create one; else `refusal`, or the reason why no user can be created. */
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

/** A decision for a user who may not sign in becomes a refusal. */
function admitted(decision: IdentityDecision): IdentityDecision {
  if (decision.kind !== 'keep' && decision.kind !== 'rebind') return decision;
  return accountRefusalOf(decision.user) ?? decision;
}

function isRefusal(found: Match | IdentityRefusal): found is IdentityRefusal {
  return 'kind' in found;
}

/** The one user who is meant; null where there is none or more than one. */
function only(users: readonly Candidate[]): Candidate | null {
  return users.length === 1 ? users[0]! : null;
}
