import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { codeOf } from '../../../base/database/database.errors.js';
import { AccountMaking } from '../accounts/account-making.js';
import { isAnother, accountRefusalOf, type Candidate } from '../accounts/account.rules.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { AccountsService, refusalError, type Resolution } from '../accounts/accounts.service.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import { EvidenceChanged } from '../accounts/evidence-changed.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInRequestsRepository } from '../requests/sign-in-requests.repository.js';
import { IdpLogouts } from '../../../tenancy/sessions/idp-logouts.repository.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { KnownSignIn, successOf, type Found, type SignedIn } from './known-sign-in.js';

const UNIQUE_VIOLATION = '23505';
/** How often a sign-in is decided again when its evidence has changed before the commit. */
const ATTEMPTS = 3;

/** Makes a session of a verified sign-in. Sessions of IdPs begin only here. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly db: Database,
    private readonly connections: ConnectionStore,
    private readonly requests: SignInRequestsRepository,
    private readonly accounts: AccountsService,
    private readonly making: AccountMaking,
    private readonly repository: AccountsRepository,
    private readonly bindings: BindingsRepository,
    private readonly domains: DomainsStore,
    private readonly sessions: SessionsService,
    private readonly idpLogouts: IdpLogouts,
    private readonly log: SignInLog,
    private readonly limits: SignInLimits,
    private readonly known: KnownSignIn,
  ) {}

  /**
   * Signs the user in and ends the former session of the browser.
   *
   * @param old the token of the former session; null: there is none, or it cannot be seen here
   * @throws {SignInRefused} when there is no session. A user may have been created (without a seat), or names updated,
   *   all the same
   */
  async complete(
    connection: Connection,
    verified: VerifiedSignIn,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn> {
    await this.useOnce(connection, verified);
    await this.limits.demandAccountTriesLeft(connection.id, verified.subject);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        const found = await this.find(connection, verified, origin.requestId);
        const signedIn =
          (await this.known.begin(connection, verified, found, old, origin)) ??
          (await this.begin(connection, verified, found, old, origin));
        // Best effort: when this write fails, the next sign-in repeats it.
        await this.connections.noteSuccess(connection).catch(() => undefined);
        return signedIn;
      } catch (error) {
        // Of two concurrent first sign-ins of one user, the second finds the binding of the first.
        if (codeOf(error) !== UNIQUE_VIOLATION && !(error instanceof EvidenceChanged)) throw error;
      }
    }
    throw new SignInRefused('account_changed', `the account changed ${ATTEMPTS} times during this sign-in`);
  }

  /**
   * Notes a message that could be sent again, before it has any effect.
   *
   * @throws {SignInRefused} `replayed`
   */
  async useOnce({ tenantId, id }: Connection, { once }: VerifiedSignIn): Promise<void> {
    if (once !== null && !(await this.requests.useMessage(tenantId, id, once.id, once.until))) {
      throw new SignInRefused('replayed', 'this answer of the IdP was used before');
    }
  }

  private async find(connection: Connection, verified: VerifiedSignIn, requestId: string): Promise<Found> {
    const { account, decision, unchanged } = await this.resolved(connection, verified, requestId);
    const isConcurrent = decision.kind === 'refuse' && decision.reason === 'account_taken';
    if (decision.kind === 'refuse' && !isConcurrent) throw refusalError(decision, account);
    // The statement of a known user checks it again. Whatever else is written waits for a change of the connection first.
    const holds = decision.kind === 'keep' ? unchanged : await this.connections.holds(this.db, connection);
    if (!holds) throw changed();
    if (decision.kind === 'keep' || decision.kind === 'rebind') {
      await this.making.refresh(connection, decision.user, account, requestId);
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

  /**
   * Decides who signs in. The attributes of a user who waits for a seat are renewed before the refusal: the role that takes
   * the seat may have been taken back.
   */
  private async resolved(connection: Connection, verified: VerifiedSignIn, requestId: string): Promise<Resolution> {
    const first = await this.accounts.resolve(connection, verified);
    const { account, decision } = first;
    if (decision.kind !== 'refuse' || decision.reason !== 'no_seat' || decision.userId === null) return first;
    const user = await this.repository.person(connection.tenantId, decision.userId);
    if (user === null || !(await this.connections.holds(this.db, connection))) return first;
    await this.making.refresh(connection, user, account, requestId);
    return this.accounts.resolve(connection, verified);
  }

  /** Creates the user; returns the refusal when a concurrent sign-in was faster. */
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

  private begin(
    connection: Connection,
    verified: VerifiedSignIn,
    found: Found,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn> {
    const { tenantId, id: connectionId } = connection;
    return this.db.transaction(tenantId, async (tx) => {
      if (!(await this.connections.holds(tx, connection))) throw changed();
      if (await this.idpLogouts.hasEnded(tx, tenantId, connectionId, verified)) {
        const why = 'the IdP has signed the user out since it answered';
        throw new SignInRefused('idp_session_ended', why, found.account.shown, found.decision.user.id);
      }
      const person = await this.demandStillIn(tx, tenantId, found);
      await this.demandStillOwned(tx, connection, found);
      await this.bind(tx, connection, found);
      await this.sessions.end(old, 'signed_in_again', tx);
      const who = { userId: person.id, userEpoch: person.session_epoch, connectionId, verified };
      const session = await this.sessions.begin(tx, tenantId, who, origin);
      await this.log.record(tenantId, successOf(connection, verified, found, session.id), origin, tx);
      return { id: session.id, token: session.token, userId: person.id };
    });
  }

  /**
   * Locks the user until the session is written, and returns the session epoch with the rest. A concurrent deactivation
   * waits for the lock and then moves the epoch, which ends the session.
   */
  private async demandStillIn(tx: SqlRunner, tenantId: string, { account, decision }: Found): Promise<Candidate> {
    const user = await this.repository.person(tenantId, decision.user.id, tx, true);
    if (user === null) throw new SignInRefused('account_deleted', 'the user was deleted', account.shown);
    const refusal = accountRefusalOf(user);
    if (refusal !== null) throw refusalError(refusal, account);
    if (isAnother(decision.user, user)) throw new EvidenceChanged();
    return user;
  }

  /** Where an e-mail has led to the user, or proves the binding now, locks its domain until the session is written. */
  private async demandStillOwned(tx: SqlRunner, { tenantId, id }: Connection, found: Found): Promise<void> {
    const { account, decision, linkedBy } = found;
    const byEmail = linkedBy !== 'known' && decision.binding.made_by === 'email';
    const newlyProven = decision.kind === 'keep' && decision.newlyProven;
    if (!byEmail && !newlyProven) return;
    if (!(await this.domains.isOwned(tenantId, account.emailDomain!, id, tx))) throw new EvidenceChanged();
  }

  /** Writes the binding. */
  private async bind(tx: SqlRunner, { tenantId, id }: Connection, { decision, linkedBy }: Found): Promise<void> {
    const { binding } = decision;
    const done =
      decision.kind === 'keep' || linkedBy === 'created'
        ? await this.bindings.touch(tx, tenantId, id, binding)
        : await this.bindings.bind(tx, tenantId, id, binding, decision.replaces);
    if (!done) throw new EvidenceChanged();
  }
}

/** The refusal where the connection was changed between the answer and the session. */
function changed(): SignInRefused {
  return new SignInRefused('connection_changed', 'the connection was changed during this sign-in');
}
