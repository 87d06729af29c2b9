import { Injectable } from '@nestjs/common';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import type { StoredBinding } from '../../../tenancy/sessions/session.js';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import type { VerifiedSignIn } from './verified-sign-in.js';
import { SignInRefused } from '../sign-in.errors.js';
import { isUnprovenBinding, restsOnEmail, type Candidate, type IdentityRefusal } from './account.rules.js';
import { AccountsRepository, type EmailClaimant } from './accounts.repository.js';
import { type ClaimedAccount, claimedAccount } from './claims.mapping.js';
import {
  type ConnectionFacts,
  type Evidence,
  isDisputed,
  foreignClaimsOf,
  type IdentityDecision,
  resolveIdentity,
} from './resolve-identity.rules.js';

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

export interface Resolution {
  account: ClaimedAccount;
  decision: IdentityDecision;
  /** Whether the connection is enabled and unchanged since it was read. */
  unchanged: boolean;
  /** Users of other directories who request the e-mail of the found user. Their requests do not count. */
  foreignClaims: EmailClaimant[];
}

@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly bindings: BindingsRepository,
    private readonly domains: DomainsStore,
  ) {}

  async resolve(connection: Connection, verified: VerifiedSignIn): Promise<Resolution> {
    const account = claimedAccount(connection, verified);
    const known = await this.repository.ofSubject(connection.tenantId, connection, account.subject);
    const evidence = await this.evidenceOf(connection, account, known);
    const decision = resolveIdentity(known.binding, evidence);
    const isFound = decision.kind === 'keep' || decision.kind === 'rebind';
    const foreignClaims = isFound ? foreignClaimsOf(decision.user, evidence) : [];
    return { account, decision, unchanged: known.unchanged, foreignClaims };
  }

  /** Reads other users only where the binding alone does not decide: the sign-in of a known subject reads nothing here. */
  async evidenceOf(
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
    const emailClaimants = await this.repository.emailClaimants(connection.tenantId, [account.subject]);
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
    const byId = paired && link !== null ? await this.repository.byExternalId(tenantId, directoryId, link) : [];
    const byUserName =
      paired && userName !== null ? await this.repository.byUserName(tenantId, directoryId, userName) : [];
    const byEmail = email === null ? [] : await this.repository.byEmail(tenantId, directoryId, email);
    const emails = [...(email === null ? [] : [email]), ...(account.subjectIsEmail ? [account.subject] : [])];
    const users = [...byId, ...byUserName, ...byEmail].map((user) => user.id);
    return {
      ...known,
      byId,
      byUserName,
      byEmail,
      emailClaimants: await this.repository.emailClaimants(tenantId, emails),
      administrators: await this.administratorsOf(connection, byEmail),
      ownsDomain: await this.ownsDomain(connection, account),
      ...(await this.domainOf(connection, account)),
      bindings: await this.bindings.ofUsers(tenantId, id, users),
      // Last: a user who is deleted during these reads is found in one of the two places.
      deleted: await this.repository.deleted(tenantId, directoryId, account),
    };
  }

  private async administratorsOf({ tenantId, type }: Connection, users: readonly Candidate[]): Promise<string[]> {
    if (type !== 'oidc' || users.length === 0) return [];
    return this.repository.administrators(
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

export function refusalError(refusal: IdentityRefusal, { shown }: ClaimedAccount): SignInRefused {
  const { reason, message, userId, domainCase } = refusal;
  return new SignInRefused(reason, message, shown, userId, domainCase);
}

/** The facts of a decision have changed before the decision was written: it has to be made again. */
export class EvidenceChanged extends Error {
  constructor() {
    super('the evidence of the sign-in has changed');
    this.name = 'EvidenceChanged';
  }
}
