import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { EventsRepository, type NewEvent } from '../../../engine/events/events.service.js';
import type { LinkKind } from '../../../tenancy/sessions/session.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/store.js';
import { AccountMaking } from '../accounts/account-making.js';
import { AccountsRepository, type EmailClaimant } from '../accounts/accounts.repository.js';
import { AccountsService, refusalError, type Resolution, EvidenceChanged } from '../accounts/accounts.service.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import type { IdentityDecision } from '../accounts/resolve-identity.rules.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import { SignInRefused } from '../sign-in.errors.js';

export interface Found {
  account: ClaimedAccount;
  decision: Extract<IdentityDecision, { kind: 'keep' | 'rebind' }>;
  /** `known`: the subject was bound to this user before. */
  linkedBy: LinkKind | 'known' | 'moved';
}

@Injectable()
export class FoundAccounts {
  constructor(
    private readonly db: Database,
    private readonly connections: ConnectionStore,
    private readonly accounts: AccountsService,
    private readonly making: AccountMaking,
    private readonly repository: AccountsRepository,
    private readonly events: EventsRepository,
  ) {}

  /** @throws {EvidenceChanged} when the decision has to be made again */
  async find(connection: Connection, verified: VerifiedSignIn, requestId: string): Promise<Found> {
    const { account, decision, unchanged, foreignClaims } = await this.resolved(connection, verified, requestId);
    const isConcurrent = decision.kind === 'refuse' && decision.reason === 'account_taken';
    if (decision.kind === 'refuse' && !isConcurrent) throw refusalError(decision, account);
    // The transaction that begins the session checks it again. Writes of users wait for a change of the connection first.
    const holds = decision.kind === 'keep' ? unchanged : await this.connections.holds(this.db, connection);
    if (!holds) throw connectionChanged();
    if (decision.kind === 'keep' || decision.kind === 'rebind') {
      await this.making.refresh(connection, decision.user, account, requestId);
      await this.recordClaims(connection.tenantId, decision.user.id, foreignClaims);
      return { account, decision, linkedBy: decision.kind === 'keep' ? 'known' : decision.linkedBy };
    }
    const taken =
      decision.kind === 'refuse'
        ? refusalError(decision, account)
        : await this.create(connection, account, decision, requestId);
    // A concurrent first sign-in may have created and bound the user, who is found now.
    const now = await this.accounts.resolve(connection, verified);
    const found = now.decision;
    if (found.kind === 'create') throw taken ?? new EvidenceChanged();
    if (found.kind === 'refuse') throw refusalError(found, account);
    const linkedBy = found.kind === 'keep' ? 'known' : found.linkedBy;
    return { account: now.account, decision: found, linkedBy: taken === null ? 'created' : linkedBy };
  }

  /** The role that takes the seat may have been taken back: attributes are renewed before the refusal. */
  private async resolved(connection: Connection, verified: VerifiedSignIn, requestId: string): Promise<Resolution> {
    const first = await this.accounts.resolve(connection, verified);
    const { account, decision } = first;
    if (decision.kind !== 'refuse' || decision.reason !== 'no_seat' || decision.userId === null) return first;
    const user = await this.repository.person(connection.tenantId, decision.userId);
    if (user === null || !(await this.connections.holds(this.db, connection))) return first;
    await this.making.refresh(connection, user, account, requestId);
    return this.accounts.resolve(connection, verified);
  }

  private async recordClaims(tenantId: string, userId: string, claims: readonly EmailClaimant[]): Promise<void> {
    if (claims.length === 0) return;
    const events = claims.map(({ id, directory_id }): NewEvent<'sign_in.email_claimed'> => ({
      event: 'sign_in.email_claimed',
      data: { user_id: userId, claimed_by: id, directory_id },
      threshold: `${userId} ${id}`,
    }));
    await this.events.record(tenantId, events);
  }

  private async create(
    connection: Connection,
    account: ClaimedAccount,
    decided: { email: string; proven: boolean },
    requestId: string,
  ): Promise<SignInRefused | null> {
    try {
      await this.making.make(connection, account, decided, requestId);
      return null;
    } catch (error) {
      if (error instanceof SignInRefused && error.reason === 'account_taken') return error;
      throw error;
    }
  }
}

export function connectionChanged(): SignInRefused {
  return new SignInRefused('connection_changed', 'the connection was changed during this sign-in');
}
