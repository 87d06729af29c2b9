import { isLongerThan } from '../../base/characters.js';
import { Injectable } from '@nestjs/common';
import { NotFound } from '../../base/errors/domain-error.js';
import type { ChangeSource } from '../../identity/source.js';
import { clean, platformNames } from '../../identity/names.rules.js';
import { SeatLimitReached } from '../../seats/seats.errors.js';
import { TenantStore } from '../../tenants/tenant.store.js';
import { documentOf, draftOf, emailAddress, withFields, type UserDocument } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import { Taken } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import type { WriteContext } from '../../users/write/write-context.js';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { Candidate } from './account.rules.js';
import { provenBinding, roleByMap, sameLetters } from './account.rules.js';
import { AccountsRepository, notBound } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';

/** See `isUnproven`. */
const UNPROVEN = { made_by: 'created', made_of: '' } as const;

/**
 * People whom a sign-in makes or keeps up to date: by the same road as SCIM and the users API (seat, change,
 * forwarding), and never anybody whom a directory manages.
 */
@Injectable()
export class AccountMaking {
  constructor(
    private readonly users: UsersService,
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
    private readonly tenants: TenantStore,
  ) {}

  /**
   * Makes the person, with the subject bound to them in the same statement. Throws `SignInRefused`: without a trusted
   * e-mail, with one of another tenant's domain, or where somebody has the e-mail already, deactivated people included.
   */
  async make(connection: Connection, account: ClaimedAccount, requestId: string): Promise<void> {
    const { email, owned } = await this.demandMakeable(connection, account);
    const { roles } = await this.tenants.get(connection.tenantId);
    const role = roleByMap(account.roleValues, connection, roles) ?? connection.defaultRole;
    const doc = documentOf({
      // Never a name that the IdP only claims: a directory that brings somebody of this name would find them here.
      userName: email,
      email,
      ...namesOf(account, email),
      external_id: externalIdOf(account),
      active: true,
    });
    try {
      const context = this.context(connection, requestId);
      const { made_by: madeBy, made_of: madeOf } = owned ? provenBinding(account, email) : UNPROVEN;
      const proof = { madeBy, madeOf, domain: owned ? account.emailDomain : null };
      await this.users.create(context, draftOf(doc), role, {
        inSameStatement: (statement) => this.repository.bindNew(statement, connection, account.subject, proof),
      });
    } catch (error) {
      if (error instanceof SeatLimitReached) {
        throw new SignInRefused('no_seat', 'no seat is free, and the policy of the door is block', account.shown);
      }
      const gone = notBound(error);
      if (gone === 'domain_changed') {
        this.domains.forget();
        return this.make(connection, account, requestId);
      }
      if (gone !== null) throw new SignInRefused(gone, 'while the person was being made', account.shown);
      if (!(error instanceof Taken)) throw error;
      // A key that an IdP claims is no proof: whoever has it keeps it, and nobody is kept out by it.
      if (error.code === 'external_id_taken' && account.externalId !== null) {
        return this.make(connection, { ...account, externalId: null }, requestId);
      }
      throw new SignInRefused('account_taken', `somebody has this name or e-mail (${error.code})`, account.shown);
    }
  }

  /** What has to be so before anybody is made; throws `SignInRefused`. Answers the e-mail, and whether it is proven. */
  async demandMakeable(connection: Connection, account: ClaimedAccount): Promise<{ email: string; owned: boolean }> {
    if (account.email === null) {
      const why = 'nobody is made without an e-mail, and the IdP has sent none';
      throw new SignInRefused('email_missing', why, account.shown);
    }
    const email = emailAddress(account.email);
    if (email === null || account.emailDomain === null) {
      throw new SignInRefused('email_missing', 'what the IdP has sent as e-mail is no address', account.shown);
    }
    if (!account.emailTrusted) {
      const why = 'nobody is made without an e-mail that can be trusted';
      throw new SignInRefused('email_unverified', why, account.shown);
    }
    if (connection.emailTrust === 'verified' && !account.emailVerified) {
      const why = 'nobody is made without email_verified: true, which this connection demands (email_trust)';
      throw new SignInRefused('email_unverified', why, account.shown);
    }
    const owner = await this.domains.owner(account.emailDomain);
    if (owner !== null && owner.tenantId !== connection.tenantId) {
      throw new SignInRefused('email_outside_domains', 'the domain of the e-mail is another tenant’s', account.shown);
    }
    if (owner !== null && owner.connectionId !== null && owner.connectionId !== connection.id) {
      const why = 'the domain of the e-mail is bound to another connection';
      throw new SignInRefused('email_outside_domains', why, account.shown);
    }
    await this.demandNobody(connection, account, email);
    return { email, owned: owner !== null && (await this.isOwned(connection, account)) };
  }

  /** Whoever was put out is not made a second time under the same address, by no IdP's word (contract §7). */
  private async demandNobody({ tenantId }: Connection, account: ClaimedAccount, email: string): Promise<void> {
    const [one, ...others] = await this.repository.byEmail(tenantId, null, email);
    if (one === undefined) {
      // Asked after nobody was found: who is removed in between is one of the two.
      const gone = await this.repository.deleted(tenantId, null, { link: null, userName: null, email });
      if (gone === null) return;
      throw new SignInRefused('account_deleted', 'whoever had this e-mail was removed', account.shown, gone);
    }
    const who = others.length === 0 ? one.id : null;
    if (one.status === 'active')
      throw new SignInRefused('account_taken', 'somebody has this e-mail', account.shown, who);
    throw new SignInRefused('account_inactive', 'whoever has this e-mail is deactivated', account.shown, who);
  }

  /** Brings somebody whom a sign-in made up to date with what the IdP now says of them. */
  async refresh(connection: Connection, person: Candidate, account: ClaimedAccount, requestId: string): Promise<void> {
    if (person.source !== 'sign-in' || person.directory_id !== null) return;
    const { roles } = await this.tenants.get(connection.tenantId);
    const role = roleByMap(account.roleValues, connection, roles);
    const email = await this.freeEmail(connection, account, person);
    const own = (row: UserRow): boolean => row.source === 'sign-in' && row.directory_id === null;
    const change = (newEmail: string | null, newRole: string | null) =>
      this.users.change(this.context(connection, requestId), person.id, own, (row) => {
        const known = row.email !== null && newEmail !== null && sameLetters(row.email, newEmail);
        const fields = {
          ...namesOf(account, row.email ?? row.user_name, row),
          ...(newEmail === null || known ? {} : { email: newEmail }),
        };
        const same = row.first_name === fields.first_name && row.last_name === fields.last_name;
        if (same && fields.email === undefined && (newRole === null || newRole === row.role)) return null;
        const draft = draftOf(withFields(JSON.parse(row.doc) as UserDocument, fields));
        return { kind: 'change', draft, ...(newRole === null ? {} : { roleSet: newRole }) };
      });
    // Somebody else has the e-mail by now, or no seat is free for the role: they keep theirs, and the rest holds.
    const wanted = { email, role };
    for (;;) {
      try {
        await change(wanted.email, wanted.role);
        return;
      } catch (error) {
        // A directory has taken them over in this moment: then it is the directory that says.
        if (error instanceof NotFound) return;
        if (error instanceof Taken && wanted.email !== null) wanted.email = null;
        else if (error instanceof SeatLimitReached && wanted.role !== null) wanted.role = null;
        else throw error;
      }
    }
  }

  /** The e-mail that somebody is to have from now on: one that can be trusted, and that nobody else has, or had last. */
  private async freeEmail(connection: Connection, account: ClaimedAccount, { id }: Candidate): Promise<string | null> {
    const email = (await this.isOwned(connection, account)) ? emailAddress(account.email) : null;
    if (email === null) return null;
    const known = await this.repository.byEmail(connection.tenantId, null, email);
    return known.every((one) => one.id === id) ? email : null;
  }

  private async isOwned(connection: Connection, account: ClaimedAccount): Promise<boolean> {
    const { emailDomain, emailTrusted, emailVerified } = account;
    if (!emailTrusted || emailDomain === null) return false;
    if (connection.emailTrust === 'verified' && !emailVerified) return false;
    return this.domains.isOwned(connection.tenantId, emailDomain, connection.id);
  }

  private context(connection: Connection, requestId: string): WriteContext {
    const source: ChangeSource = {
      request_id: requestId,
      surface: 'sign-in',
      directory_id: null,
      actor: { kind: 'system', id: connection.id, name: `sign-in: ${connection.name}` },
    };
    return { tenantId: connection.tenantId, channel: 'sign-in', directory: null, source, receivedAt: new Date() };
  }
}

/** A key of at most 255 characters, as everywhere in the users API; a longer one is none. */
function externalIdOf({ externalId }: ClaimedAccount): string | null {
  const text = clean(externalId ?? undefined);
  return externalId === null || text === '' || isLongerThan(externalId, 255) ? null : text;
}

/** The names that an IdP says, or those that are there, or what can be made of the e-mail. */
function namesOf(
  account: ClaimedAccount,
  email: string,
  known?: { first_name: string; last_name: string },
): { first_name: string; last_name: string } {
  const { firstName, lastName, displayName } = account;
  if (known !== undefined && firstName === null && lastName === null && displayName === null) {
    return { first_name: known.first_name, last_name: known.last_name };
  }
  return platformNames(
    {
      ...(firstName === null ? {} : { givenName: firstName }),
      ...(lastName === null ? {} : { familyName: lastName }),
      ...(displayName === null ? {} : { displayName }),
    },
    email,
    email,
  );
}
