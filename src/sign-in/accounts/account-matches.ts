import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { emailRefusal, sameLetters, type Candidate, type LinkKind } from './account.rules.js';
import { AccountsRepository } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';

/** Who is meant, by which of the things that an IdP says, and its value as it matched. */
export interface Match {
  person: Candidate;
  by: LinkKind;
  value: string;
}

/** Who could be meant by what an IdP says, whoever the subject was before (contract §7). Changes nothing. */
@Injectable()
export class AccountMatches {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
  ) {}

  /** By the directory's word where the connection is paired, else by an e-mail that may be asked by. */
  async first(connection: Connection, account: ClaimedAccount): Promise<Match | SignInRefused | null> {
    if (connection.directoryId !== null) {
      const found = await this.byDirectory(connection, account);
      if (found !== null) return found;
    }
    return this.byEmail(connection, account);
  }

  /** By what the paired directory says of its people: the immutable id, then the user name. */
  async byDirectory(connection: Connection, account: ClaimedAccount): Promise<Match | null> {
    const known = await this.byImmutableId(connection, account);
    if (known !== null) return known;
    const { tenantId, directoryId } = connection;
    const { userName } = account;
    // A user name that is the e-mail of which the IdP says that nobody has verified it.
    const doubtful = !account.emailTrusted && userName !== null && userName.includes('@');
    if (userName === null || doubtful) return null;
    const named = await this.repository.byUserName(tenantId, directoryId!, userName);
    const person = only(named.filter((one) => sameLetters(one.user_name, userName)));
    return person === null ? null : { person, by: 'user_name', value: person.user_name };
  }

  /** Whom the directory knows by the id that the IdP has sent. */
  async byImmutableId({ tenantId, directoryId }: Connection, { link }: ClaimedAccount): Promise<Match | null> {
    if (link === null) return null;
    const person = only(await this.repository.byExternalId(tenantId, directoryId!, link));
    return person === null ? null : { person, by: 'claim', value: link };
  }

  /** Whom the directory calls by the very name that the subject is; an id that it does not know yet says no more. */
  async byOwnName(connection: Connection, account: ClaimedAccount): Promise<Match | null> {
    const found = account.subjectIsStable ? null : await this.byDirectory(connection, account);
    return found?.by === 'user_name' && sameLetters(found.value, account.subject) ? found : null;
  }

  /** Who has the e-mail; a refusal where it may not be asked by. */
  async byEmail(connection: Connection, account: ClaimedAccount): Promise<Match | SignInRefused | null> {
    const { email } = account;
    if (email === null) return null;
    const refusal = emailRefusal(account, await this.isOwned(connection, account), connection.emailTrust);
    if (refusal !== null) return refusal;
    const known = await this.repository.byEmail(connection.tenantId, connection.directoryId, email);
    const person = only(known.filter((one) => one.email !== null && sameLetters(one.email, email)));
    if (person === null) return null;
    // An OIDC IdP lets its users, or its guests, write any e-mail (nOAuth); what an admin could lose thereby is the tenant.
    if (
      connection.type === 'oidc' &&
      !account.emailVerified &&
      (await this.repository.administers(connection.tenantId, person.id))
    ) {
      const why =
        'the user is the owner or an admin, who are found by an e-mail only where the IdP says email_verified: true; pair the connection with their directory, or have the IdP send the claim';
      return new SignInRefused('email_unverified', why, account.shown, person.id);
    }
    return { person, by: 'email', value: email };
  }

  /** Whether the e-mail's domain is the tenant's, and this connection may speak for it. */
  async isOwned({ tenantId, id }: Connection, { emailDomain }: ClaimedAccount): Promise<boolean> {
    return emailDomain !== null && (await this.domains.isOwned(tenantId, emailDomain, id));
  }
}

/** Who is meant must be clear: one person, or nobody. */
function only(people: readonly Candidate[]): Candidate | null {
  return people.length === 1 ? people[0]! : null;
}
