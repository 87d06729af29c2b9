import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import type { StoredBinding } from '../../../tenancy/sessions/session.js';
import { isUnprovenBinding, restsOnEmail, type Candidate } from './account.rules.js';
import { AccountsRepository } from './accounts.repository.js';
import type { ClaimedAccount } from './claims.mapping.js';
import type { ConnectionFacts, Evidence } from './identity-decision.js';
import { isDisputed } from './resolve-identity.rules.js';

/** Reads what `resolveIdentity` decides by. */
@Injectable()
export class EvidenceReader {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly bindings: BindingsRepository,
    private readonly domains: DomainsStore,
  ) {}

  /**
   * Reads other users only where the binding alone does not decide: the sign-in of a known subject reads nothing here.
   *
   * @param stored the binding of the subject, and the user of a live one
   */
  async read(
    connection: Connection,
    account: ClaimedAccount,
    { binding, user: bound }: { binding: StoredBinding | null; user: Candidate | null },
  ): Promise<Evidence> {
    const facts = factsOf(connection);
    const live = binding === null || binding.ended ? null : binding;
    const known = { connection: facts, account, bound };
    if (live === null || bound === null || isDisputed(live, bound, known)) return this.readAll(connection, known);
    const ownsDomain = isUnprovenBinding(live) && (await this.ownsDomain(connection, account));
    if (!restsOnEmail(live, account, facts.claimIsNamed)) return { ...NOTHING, ...known, ownsDomain };
    const emailClaimants = await this.accounts.emailClaimants(connection.tenantId, [account.subject]);
    return { ...NOTHING, ...known, ownsDomain, emailClaimants };
  }

  private async readAll(
    connection: Connection,
    known: Pick<Evidence, 'connection' | 'account' | 'bound'>,
  ): Promise<Evidence> {
    const { tenantId, id, directoryId } = connection;
    const { account } = known;
    const { link, userName, email } = account;
    const paired = directoryId !== null;
    const byId = paired && link !== null ? await this.accounts.byExternalId(tenantId, directoryId, link) : [];
    const byUserName =
      paired && userName !== null ? await this.accounts.byUserName(tenantId, directoryId, userName) : [];
    const byEmail = email === null ? [] : await this.accounts.byEmail(tenantId, directoryId, email);
    const emails = [...(email === null ? [] : [email]), ...(account.subjectIsEmail ? [account.subject] : [])];
    const users = [...byId, ...byUserName, ...byEmail].map((user) => user.id);
    return {
      ...known,
      byId,
      byUserName,
      byEmail,
      emailClaimants: await this.accounts.emailClaimants(tenantId, emails),
      administrators: await this.administratorsOf(connection, byEmail),
      ownsDomain: await this.ownsDomain(connection, account),
      ...(await this.domainOf(connection, account)),
      bindings: await this.bindings.ofUsers(tenantId, id, users),
      // Last: a user who is deleted meanwhile is found in one of the two places.
      deleted: await this.accounts.deleted(tenantId, directoryId, account),
    };
  }

  private async administratorsOf({ tenantId, type }: Connection, users: readonly Candidate[]): Promise<string[]> {
    if (type !== 'oidc' || users.length === 0) return [];
    return this.accounts.administrators(
      tenantId,
      users.map(({ id }) => id),
    );
  }

  private async ownsDomain({ tenantId, id }: Connection, { emailDomain }: ClaimedAccount): Promise<boolean> {
    return emailDomain !== null && (await this.domains.isOwned(tenantId, emailDomain, id));
  }

  private async domainOf(
    { tenantId, id }: Connection,
    { emailDomain }: ClaimedAccount,
  ): Promise<Pick<Evidence, 'domain' | 'boundTo'>> {
    const owner = emailDomain === null ? null : await this.domains.owner(emailDomain);
    if (owner === null) return { domain: 'unclaimed', boundTo: null };
    const { connectionId } = owner;
    if (owner.tenantId !== tenantId) return { domain: 'other_tenant', boundTo: null };
    const isHere = connectionId === null || connectionId === id;
    return { domain: isHere ? 'this_tenant' : 'other_connection', boundTo: connectionId };
  }
}

const NOTHING = {
  byId: [],
  byUserName: [],
  byEmail: [],
  emailClaimants: [],
  administrators: [],
  domain: 'unclaimed',
  boundTo: null,
  bindings: [],
  deleted: null,
} as const;

function factsOf({ slug, type, directoryId, linkClaim, emailTrust, jit }: Connection): ConnectionFacts {
  return { slug, type, paired: directoryId !== null, claimIsNamed: linkClaim !== null, emailTrust, creates: jit };
}
