import type { HeldReason } from '../../identity/person.js';
import type { RefusalReason } from '../refusals/sign-in-refused.js';
import type { Binding, LinkKind } from '../../sessions/binding.js';
import type { EmailTrust } from '../../connections/connection.js';
import type { ClaimedAccount } from './claims.mapping.js';

/** Somebody of the tenant, as far as it matters for signing in. */
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
  /** Moves with whatever ends the person's sessions. */
  session_epoch: number;
}

/** A sign-in that is refused. `reason` and `message` are for the log; `userId` is the user whom it concerns. */
export interface IdentityRefusal {
  kind: 'refuse';
  reason: RefusalReason;
  message: string;
  userId: string | null;
}

/**
 * Whether nothing but the IdP's own word says that the person is who signs in: made by signing in, with an e-mail in no
 * domain that the tenant has proven to be its own. Whoever can prove it takes the place.
 */
export function isUnproven(binding: Binding): boolean {
  return binding.made_by === 'created' && binding.made_of === '';
}

/** What an IdP says now, and whom it thereby means. */
export interface Claim {
  subject: string;
  by: LinkKind;
  value: string;
  /** Whether the immutable id is surely of the same kind as the directory's (`isComparable`). */
  sure: boolean;
}

/** The same without regard to the case of A to Z, and of nothing else: a look-alike is another one. */
export function sameLetters(a: string, b: string): boolean {
  return asciiLower(a) === asciiLower(b);
}

function asciiLower(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Whether the value that a binding was made of is no longer the person's: their directory has renamed it. */
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
 * What a binding was made of follows the directory, as long as the IdP does not say otherwise. A subject that is the
 * name itself stays with that name: where it goes is for `isGivenAway` and `mayMove`.
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
 * Whether a person who is bound to another subject of the same connection may be bound to this one instead (contract
 * §7: the binding moves when the paired directory renames the value it was made of). By the immutable id, yes: the same
 * id under a new subject is the same person (Entra gives a new `sub` when the application is registered anew), another
 * id is what the directory now calls them, and an id that is sure weighs more than the name that was there before it. By
 * a name, only where both subjects are names themselves, the old one and the new one: a subject that outlives a rename is
 * still theirs, and whoever claims the new name would take their place. So who is known by an id is not found by a name.
 *
 * At any connection, an unproven binding gives way to any proof, and a name to the same one in other letters.
 */
export function mayMove(binding: Binding, person: Candidate, match: Claim, paired: boolean): boolean {
  if (isUnproven(binding) || isSameName(binding, match)) return true;
  if (!paired) return false;
  const renamed = isRenamed(binding, person);
  if (match.by === 'claim') {
    if (binding.made_by === 'claim') return binding.made_of === match.value || renamed;
    return match.sure || (renamed && isItsName(binding));
  }
  return renamed && isItsName(binding) && sameLetters(match.subject, match.value);
}

/**
 * What the binding of somebody is made by and of who was made by signing in, once their e-mail is proven: by the e-mail,
 * where that is the subject itself and goes with it to whoever has it later; else by having been made.
 */
export function provenBinding(
  { subject, subjectIsStable }: Pick<ClaimedAccount, 'subject' | 'subjectIsStable'>,
  email: string,
): { made_by: 'created' | 'email'; made_of: string } {
  const isName = !subjectIsStable && sameLetters(subject, email);
  return { made_by: isName ? 'email' : 'created', made_of: subject };
}

/** Whether the subject is the very name that the binding was made of; any other one outlives that name. */
export function isItsName({ made_by, made_of, subject }: Binding): boolean {
  return (made_by === 'user_name' || made_by === 'email') && sameLetters(subject, made_of);
}

/** Whether the name that is the subject has only been written in other letters. */
function isSameName(binding: Binding, { by, value, subject }: Claim): boolean {
  const isName = by === 'user_name' || by === 'email';
  return isName && isItsName(binding) && sameLetters(value, subject) && sameLetters(binding.subject, subject);
}

/**
 * Whether what a binding was made of, and its person has no more, is somebody else's by now: the directory has given it to
 * them, or knows them by the immutable id and the other one by a name. A name counts only where it is the subject: any
 * other subject is still who it was, whatever name comes with it.
 */
export function isGivenAway(binding: Binding, match: Pick<Claim, 'by' | 'value'>): boolean {
  if (match.by === 'claim') return binding.made_by !== 'claim' || match.value === binding.made_of;
  return isItsName(binding) && sameLetters(match.value, binding.made_of);
}

/** Entra's object ids, which its directories have as `externalId` once that is mapped so. */
const OBJECT_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * Whether the IdP's immutable id says that this is somebody else, whatever name or e-mail comes with it. It does where
 * an admin has named the claim that equals `externalId`, or where both are object ids; elsewhere the two may come from
 * different places, and differing says nothing.
 */
export function isContradicted(person: Candidate, account: ClaimedAccount, claimIsNamed: boolean): boolean {
  return account.link !== person.external_id && isComparable(person, account, claimIsNamed);
}

/** Whether the id that the IdP has sent and the one that the directory has are surely of one kind. */
export function isComparable(person: Candidate, { link }: ClaimedAccount, claimIsNamed: boolean): boolean {
  if (link === null || person.external_id === null) return false;
  return claimIsNamed || (OBJECT_ID.test(link) && OBJECT_ID.test(person.external_id));
}

/** Returns why a user may not sign in; null: the user may. */
export function refusalOf(user: Candidate): IdentityRefusal | null {
  if (user.status === 'active') return null;
  const refuse = (reason: RefusalReason, why: string): IdentityRefusal => {
    return { kind: 'refuse', reason, message: `the user ${why}`, userId: user.id };
  };
  if (user.seat === 'waiting' || user.held === 'no_seat') return refuse('no_seat', 'waits for a free seat');
  if (user.held !== null) return refuse('account_held', `is held as ${user.held}`);
  return refuse('account_inactive', 'is deactivated');
}

/**
 * Whether somebody is no longer by what they were found: read again under a lock, they have another key, name, e-mail or
 * directory. Who is meant is then found anew.
 */
export function isAnother(found: Candidate, now: Candidate): boolean {
  return (['directory_id', 'external_id', 'user_name', 'email', 'gone'] as const).some(
    (key) => found[key] !== now[key],
  );
}

/** Returns why a user may not be looked up by the e-mail; null: the e-mail is trusted, or there is none. */
export function emailRefusal(account: ClaimedAccount, ownsDomain: boolean, trust: EmailTrust): IdentityRefusal | null {
  if (account.email === null) return null;
  const refuse = (reason: RefusalReason, message: string): IdentityRefusal => {
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

/**
 * The role that the IdP gives: the first mapped value, else the connection's default. Null where nothing is mapped, or
 * where the claim did not come at all: Entra leaves out groups that are too many, which takes nobody's role away.
 */
export function roleByMap(
  values: readonly string[] | null,
  connection: { roleMap: readonly (readonly [string, string])[]; defaultRole: string },
  known: { has(role: string): boolean },
): string | null {
  if (connection.roleMap.length === 0 || values === null) return null;
  for (const [value, role] of connection.roleMap) if (values.includes(value) && known.has(role)) return role;
  return connection.defaultRole;
}
