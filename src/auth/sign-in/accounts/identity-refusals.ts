import type { SignInRefusalReason } from '../refusals/sign-in-refused.js';
import { emailKey } from '../../../directory-sync/users/user.mapping.js';
import type { Candidate, IdentityRefusal } from './account.rules.js';
import type { EmailClaimant } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';
import type { Evidence } from './identity-decision.js';

/** Makes a refusal. `message` is for the log, `userId` the user whom it concerns. */
export function refuse(reason: SignInRefusalReason, message: string, userId: string | null = null): IdentityRefusal {
  return { kind: 'refuse', reason, message, userId };
}

/** Returns the refusal of a user whom the directory knows by another immutable id than the IdP has sent. */
export function contradiction(account: ClaimedAccount, user: Candidate): IdentityRefusal {
  const ids = `known is ${quoted(user.external_id ?? '')}, sent is ${quoted(account.link ?? '')}`;
  return refuse('bound_to_another', `the directory has another id for the user than the IdP sent: ${ids}`, user.id);
}

/** Returns the refusal of a domain that does not count here, with the step that makes it count where it is the tenant's. */
export function domainRefusal(
  refusal: IdentityRefusal,
  { connection, account, domain, boundTo }: Evidence,
): IdentityRefusal {
  const bind = `domain bind ${account.emailDomain ?? '?'} --connection-id ${connection.slug}`;
  if (domain === 'other_connection') {
    const why = `the domain ${account.emailDomain ?? '?'} is bound to another connection (${boundTo ?? '?'}). To move it: ${bind}`;
    return { ...refusal, message: why, domainCase: 'other_connection' };
  }
  if (domain !== 'this_tenant') return refusal;
  return { ...refusal, message: `${refusal.message}. To bind it: ${bind}`, domainCase: 'not_bound' };
}

/**
 * Returns the refusal of an e-mail that several users have or request; null: it means this user alone, or no user.
 *
 * @param user the user to whom the e-mail would lead; null: there is none
 */
export function ambiguityOf(email: string, user: Candidate | null, evidence: Evidence): IdentityRefusal | null {
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
 * directory would shut users of another one out by writing their e-mails.
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

/** Returns the users who have an e-mail or request it. */
export function claimantsOf(email: string, { emailClaimants }: Evidence): EmailClaimant[] {
  const key = emailKey(email);
  return emailClaimants.filter((one) => one.email_key === key);
}

/** A value as the log shows it, cut to 100 characters. */
export function quoted(text: string): string {
  return `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
}
