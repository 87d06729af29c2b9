import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import type { IdentityRefusal } from './account.rules.js';
import { AccountsRepository, type EmailClaimant } from './accounts.repository.js';
import { foreignClaimsOf } from './identity-refusals.js';
import { claimedAccount, type ClaimedAccount } from './claims.mapping.js';
import { EvidenceReader } from './evidence.js';
import type { IdentityDecision } from './identity-decision.js';
import { resolveIdentity } from './resolve-identity.rules.js';

/** What a verified sign-in says, and which user it leads to. */
export interface Resolution {
  account: ClaimedAccount;
  decision: IdentityDecision;
  /** Whether the connection is enabled and unchanged since it was read. */
  unchanged: boolean;
  /** Users of other directories who request the e-mail of the found user, and do not count. */
  foreignClaims: EmailClaimant[];
}

/** Finds the user of a verified sign-in. Changes nothing. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly repository: AccountsRepository,
    private readonly evidence: EvidenceReader,
  ) {}

  /** Gathers the evidence of a sign-in and decides by it. */
  async resolve(connection: Connection, verified: VerifiedSignIn): Promise<Resolution> {
    const account = claimedAccount(connection, verified);
    const known = await this.repository.ofSubject(connection.tenantId, connection, account.subject);
    const evidence = await this.evidence.read(connection, account, known);
    const decision = resolveIdentity(known.binding, evidence);
    const isFound = decision.kind === 'keep' || decision.kind === 'rebind';
    const foreignClaims = isFound ? foreignClaimsOf(decision.user, evidence) : [];
    return { account, decision, unchanged: known.unchanged, foreignClaims };
  }
}

/** Returns the error for a decision to refuse. */
export function refusalError(refusal: IdentityRefusal, { shown }: ClaimedAccount): SignInRefused {
  const { reason, message, userId, domainCase } = refusal;
  return new SignInRefused(reason, message, shown, userId, domainCase);
}
