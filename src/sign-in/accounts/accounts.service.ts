import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';
import {
  emailRefusal,
  isComparable,
  isContradicted,
  isGivenAway,
  isItsName,
  isRenamed,
  isUnproven,
  mayMove,
  provenBinding,
  refusalOf,
  sameLetters,
} from './account.rules.js';
import type { Binding, Candidate, LinkKind } from './account.rules.js';
import { AccountMatches, type Match } from './account-matches.js';
import { AccountsRepository } from './accounts.repository.js';
import { claimedAccount, type ClaimedAccount } from './claims.mapping.js';

/** Whom a verified sign-in leads to. */
export interface FoundAccount {
  account: ClaimedAccount;
  person: Candidate;
  /** What the binding is to be afterwards. */
  binding: Binding;
  /** `known`: the subject was this person's already. */
  linkedBy: LinkKind | 'known' | 'moved';
  /** What the binding takes the place of, and nothing else: the person's other subject, the subject's former person. */
  replaces: { subject: string | null; userId: string | null };
  /** The binding was unproven until now: what proves it has to hold until it is written down. */
  newlyProven?: boolean;
}

/** Nobody was found; what signing in would make is still open. `refusal` is what it is if nothing may be made. */
export interface NobodyFound {
  account: ClaimedAccount;
  person: null;
  refusal: SignInRefused;
}

const NOTHING = { subject: null, userId: null };

/**
 * Finds the person whom an IdP means (contract §7): who the subject was before; then, of a paired connection, by the
 * claim that equals SCIM `externalId` and by the user name; and last by an e-mail inside a domain that the tenant owns.
 * Changes nothing.
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly matches: AccountMatches,
  ) {}

  /** Throws `SignInRefused` for somebody who was found and may not come in. */
  async find(connection: Connection, verified: VerifiedSignIn): Promise<FoundAccount | NobodyFound> {
    const account = claimedAccount(connection, verified);
    const { tenantId, id: connectionId } = connection;
    const known = await this.repository.binding(tenantId, connectionId, account.subject);
    if (known !== null && !known.ended) {
      const found = await this.ofBinding(connection, account, known);
      if (found !== null) return admitted(found);
      // Written down while its person was being removed.
      known.removed = true;
    }
    const match = await this.matches.first(connection, account);
    if (match instanceof SignInRefused || match === null) {
      const who = known?.removed
        ? known.user_id
        : await this.repository.deleted(tenantId, connection.directoryId, account);
      if (who !== null) {
        const refusal = new SignInRefused('account_deleted', 'the person was removed', account.shown, who);
        return { account, person: null, refusal };
      }
      const refusal = match ?? new SignInRefused('unknown_account', 'nobody of the tenant is meant', account.shown);
      return { account, person: null, refusal };
    }
    // A binding whose person went while it was being written gives way; of an ended one nothing is left that could.
    const formerly = known !== null && !known.ended ? known.user_id : null;
    return admitted(await this.link(connection, account, match, formerly));
  }

  /** The person of a binding, unless the subject is somebody else by now (`isGivenAway`). */
  private async ofBinding(
    connection: Connection,
    account: ClaimedAccount,
    binding: Binding,
  ): Promise<FoundAccount | null> {
    const person = await this.repository.person(connection.tenantId, binding.user_id);
    if (person === null) return null;
    const other = await this.otherOf(connection, account, binding, person);
    if (other !== null) return this.link(connection, account, other, binding.user_id);
    const now = isUnproven(binding) ? await this.proven(connection, account, binding, person) : binding;
    const known = { account, person, binding: renewed(now, person, account) };
    return { ...known, linkedBy: 'known', replaces: NOTHING, newlyProven: now !== binding };
  }

  /** Who a subject is instead of the person whom it is bound to; null: it is still them. Throws `SignInRefused`. */
  private async otherOf(
    connection: Connection,
    account: ClaimedAccount,
    binding: Binding,
    person: Candidate,
  ): Promise<Match | null> {
    const paired = connection.directoryId !== null;
    const contradicted = paired && isContradicted(person, account, connection.linkClaim !== null);
    // An IdP that reuses names has given this one to somebody else: by the id, or by the name that the directory gave.
    const known = contradicted ? await this.matches.byImmutableId(connection, account) : null;
    const other =
      known ??
      (isRenamed(binding, person) ? await this.byName(connection, account, binding) : null) ??
      (contradicted ? await this.matches.byOwnName(connection, account) : null);
    if (other !== null && other.person.id !== person.id) return other;
    // Their directory has not heard of it yet: until then, nobody is let in as the one who had the name before.
    if (contradicted && !account.subjectIsStable) throw refusedAsAnother(account, person);
    return null;
  }

  /** Who has what a binding was made of, since its person has it no more. */
  private async byName(connection: Connection, account: ClaimedAccount, binding: Binding): Promise<Match | null> {
    const found = connection.directoryId === null ? null : await this.matches.byDirectory(connection, account);
    const other = found ?? (isItsName(binding) ? await this.matches.byEmail(connection, account) : null);
    if (other === null || other instanceof SignInRefused) return null;
    return isGivenAway(binding, other) ? other : null;
  }

  /** The binding of somebody who was made on the IdP's word alone, as it is since the tenant owns the e-mail's domain. */
  private async proven(
    connection: Connection,
    account: ClaimedAccount,
    binding: Binding,
    { email }: Candidate,
  ): Promise<Binding> {
    const same = email !== null && account.email !== null && sameLetters(email, account.email);
    const owned = await this.matches.isOwned(connection, account);
    if (!same || emailRefusal(account, owned, connection.emailTrust) !== null) return binding;
    return { ...binding, ...provenBinding(account, email) };
  }

  private async link(
    connection: Connection,
    account: ClaimedAccount,
    match: Match,
    formerly: string | null = null,
  ): Promise<FoundAccount> {
    const { person, by, value } = match;
    const claimIsNamed = connection.linkClaim !== null;
    if (by !== 'claim' && connection.directoryId !== null && isContradicted(person, account, claimIsNamed)) {
      throw refusedAsAnother(account, person);
    }
    const own = await this.repository.bindingOf(connection.tenantId, connection.id, person.id);
    const other = own !== null && own.subject !== account.subject;
    const claim = { subject: account.subject, by, value, sure: isComparable(person, account, claimIsNamed) };
    if (other && !mayMove(own, person, claim, connection.directoryId !== null)) {
      const why = `the person signs in here as another subject: known is ${quoted(own.subject)}, the IdP now says ${quoted(account.subject)}. If the IdP changed what it sends as subject (NameID format, sub) for all users: connection forget-subjects ${connection.slug} --dry-run; for this user alone: identity release`;
      throw new SignInRefused('bound_to_another', why, account.shown, person.id);
    }
    const binding: Binding = { subject: account.subject, user_id: person.id, made_by: by, made_of: value };
    return {
      account,
      person,
      binding,
      linkedBy: other ? 'moved' : by,
      replaces: { subject: other ? own.subject : null, userId: formerly },
    };
  }
}

function admitted(found: FoundAccount): FoundAccount {
  const refusal = refusalOf(found.person, found.account);
  if (refusal !== null) throw refusal;
  return found;
}

function refusedAsAnother(account: ClaimedAccount, person: Candidate): SignInRefused {
  const ids = `${quoted(person.external_id ?? '')}, sent is ${quoted(account.link ?? '')}`;
  const why = `the directory knows the person by another id than the IdP has sent: known is ${ids}`;
  return new SignInRefused('bound_to_another', why, account.shown, person.id);
}

/**
 * What a binding was made of follows the directory, as long as the IdP does not say otherwise. A subject that is the
 * name itself stays with that name: where it goes is for `isGivenAway` and `mayMove`.
 */
function renewed(binding: Binding, person: Candidate, account: ClaimedAccount): Binding {
  if (binding.made_by === 'claim' && account.link !== null && account.link === person.external_id) {
    return { ...binding, made_of: account.link };
  }
  if (isItsName(binding)) return binding;
  if (binding.made_by === 'user_name') return { ...binding, made_of: person.user_name };
  if (binding.made_by === 'email' && person.email !== null) return { ...binding, made_of: person.email };
  return binding;
}

/** A subject as the log shows it. */
function quoted(subject: string): string {
  return `"${subject.length > 100 ? `${subject.slice(0, 100)}…` : subject}"`;
}
