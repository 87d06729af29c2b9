import { Injectable } from '@nestjs/common';
import { isLongerThan } from '../../../base/characters.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { consoleOf } from '../../../directory-sync/users/role.rules.js';
import {
  documentOf,
  draftOf,
  emailAddress,
  withFields,
  type UserDocument,
} from '../../../directory-sync/users/user.mapping.js';
import type { UserRow } from '../../../directory-sync/users/user.row.js';
import { Taken } from '../../../directory-sync/users/users.errors.js';
import { isBeyond } from '../../../directory-sync/users/write/authority.rules.js';
import { UsersService } from '../../../directory-sync/users/write/users.service.js';
import type { WriteContext } from '../../../directory-sync/users/write/write-case.js';
import { SeatLimitReached } from '../../../seats/seats.service.js';
import { clean, platformNames } from '../../../tenancy/identity/names.rules.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { addNewBinding, bindingRefusal } from '../../../tenancy/sessions/bindings.repository.js';
import { StorageExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { TenantStore } from '../../../tenancy/tenants/tenant.store.js';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { holdConnection, holdDomain } from '../../connections/repository.js';
import { SignInRefused } from '../sign-in.errors.js';
import { type Candidate, defaultRoleOf, provenBinding, roleByMap, sameLetters } from './account.rules.js';
import { AccountsRepository } from './accounts.repository.js';
import { EvidenceChanged } from './accounts.service.js';
import type { ClaimedAccount } from './claims.mapping.js';

const UNPROVEN = { made_by: 'created', made_of: '' } as const;

/** Creates and updates users at sign-in, like SCIM and the users API. Never touches a user of a directory. */
@Injectable()
export class AccountMaking {
  constructor(
    private readonly users: UsersService,
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
    private readonly tenants: TenantStore,
  ) {}

  /**
   * Creates the user and binds the subject in the same statement.
   *
   * @throws {EvidenceChanged} when the domain of the e-mail has changed since the decision
   * @throws {SignInRefused} `account_taken` when a concurrent write has the e-mail or the subject; `no_seat`
   */
  async make(
    connection: Connection,
    account: ClaimedAccount,
    decided: { email: string; proven: boolean },
    requestId: string,
  ): Promise<void> {
    const { email } = decided;
    const { roles } = await this.tenants.get(connection.tenantId);
    const { role, origin } = roleByMap(account.role, connection, roles) ?? defaultRoleOf(connection);
    const doc = documentOf({
      // Not the user name that the IdP claims: a directory that brings a user of this name would match this one.
      userName: email,
      email,
      ...namesOf(account, email),
      external_id: externalIdOf(account),
      active: true,
    });
    try {
      await this.users.create(this.context(connection, requestId), draftOf(doc), role, {
        roleOrigin: origin,
        inSameStatement: (statement) => this.bind(statement, connection, account, decided),
      });
    } catch (error) {
      if (error instanceof SeatLimitReached) {
        throw new SignInRefused('no_seat', 'no seat is free, and the seat policy is block', account.shown);
      }
      const gone = bindingRefusal(error);
      if (gone === 'domain_changed') {
        await this.domains.forget();
        throw new EvidenceChanged();
      }
      if (gone !== null) throw new SignInRefused(gone, 'while the user was being created', account.shown);
      if (!(error instanceof Taken)) throw error;
      // A claimed key proves nothing: the user who has it keeps it, and the new user is created without it.
      if (error.code === 'external_id_taken' && account.externalId !== null) {
        return this.make(connection, { ...account, externalId: null }, decided, requestId);
      }
      throw new SignInRefused('account_taken', `another user has this name or e-mail (${error.code})`, account.shown);
    }
  }

  private bind(
    statement: WriteStatement,
    connection: Connection,
    account: ClaimedAccount,
    { email, proven }: { email: string; proven: boolean },
  ): void {
    const made = proven ? provenBinding(account, email) : UNPROVEN;
    addNewBinding(
      statement,
      connection.tenantId,
      { subject: account.subject, ...made },
      {
        connection: holdConnection(statement, connection),
        domain: proven ? holdDomain(statement, account.emailDomain!, connection) : null,
      },
    );
  }

  async refresh(connection: Connection, person: Candidate, account: ClaimedAccount, requestId: string): Promise<void> {
    if (person.source !== 'sign-in' || person.directory_id !== null) return;
    const tenant = await this.tenants.get(connection.tenantId);
    const { roles } = tenant;
    const given = roleByMap(account.role, connection, roles);
    const leave = { mayGrantConsole: false, ruleRoles: connection.roleMap.map(([, role]) => role) };
    const email = await this.freeEmail(connection, account, person);
    const own = (row: UserRow): boolean => row.source === 'sign-in' && row.directory_id === null;
    const context = this.context(connection, requestId);
    let losesRight = false;
    const change = (newEmail: string | null, newRole: string | null) =>
      this.users.change(context, person.id, own, (row) => {
        losesRight = newRole !== null && consoleOf(roles, row.role) !== 'none' && newRole !== row.role;
        // Another e-mail leads another person to the rights of the user: the connection has to be allowed to give them.
        const isKept = newEmail === null || isBeyond(tenant, row, leave);
        const known = isKept || (row.email !== null && sameLetters(row.email, newEmail));
        const fields = {
          ...namesOf(account, row.email ?? row.user_name, row),
          ...(known ? {} : { email: newEmail }),
        };
        const same = row.first_name === fields.first_name && row.last_name === fields.last_name;
        // A role that waits for a seat is not in force yet, and has to be taken back as well.
        const sameRole = newRole === null || (newRole === row.role && newRole === (row.role_set ?? row.role));
        if (same && fields.email === undefined && sameRole) return null;
        const draft = draftOf(withFields(JSON.parse(row.doc) as UserDocument, fields));
        const byMap = newRole === null || given === null ? {} : { roleSet: newRole, roleOrigin: given.origin };
        return { kind: 'change', draft, ...byMap };
      });
    // When the e-mail is taken or no seat is free for the role, the user keeps the former one; the rest is written. A role
    // that administers never stays: its user waits for the seat of the new one.
    const wanted = { email, role: given?.role ?? null };
    for (;;) {
      try {
        await change(wanted.email, wanted.role);
        return;
      } catch (error) {
        // A directory has just taken the user over: its values count.
        if (error instanceof NotFound) return;
        // The sign-in of a user who exists is no reason to refuse: the stored values stay.
        if (error instanceof StorageExhausted) return;
        if (error instanceof Taken && wanted.email !== null) wanted.email = null;
        else if (!(error instanceof SeatLimitReached) || wanted.role === null || context.mayWait) throw error;
        else if (losesRight) context.mayWait = true;
        else wanted.role = null;
      }
    }
  }

  /** Returns the e-mail that the user is to have: trusted, and of no other user or request; null when the e-mail stays. */
  private async freeEmail(connection: Connection, account: ClaimedAccount, person: Candidate): Promise<string | null> {
    const email = (await this.isOwned(connection, account)) ? emailAddress(account.email) : null;
    if (email === null || (person.email !== null && sameLetters(person.email, email))) return null;
    const known = await this.repository.byEmail(connection.tenantId, null, email);
    const claimants = await this.repository.emailClaimants(connection.tenantId, [email]);
    return [...known, ...claimants].every(({ id }) => id === person.id) ? email : null;
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

/** At most 255 characters, as in the users API. */
function externalIdOf({ externalId }: ClaimedAccount): string | null {
  const text = clean(externalId ?? undefined);
  return externalId === null || text === '' || isLongerThan(externalId, 255) ? null : text;
}

/** Returns the names from the IdP, else the known ones, else names made from the e-mail. */
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
