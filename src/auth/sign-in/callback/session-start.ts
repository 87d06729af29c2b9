import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { isAnother, accountRefusalOf, type Candidate } from '../accounts/account.rules.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { refusalError } from '../accounts/accounts.service.js';
import { EvidenceChanged } from '../accounts/evidence-changed.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { IdpLogouts } from '../../../tenancy/sessions/sessions.repository.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInLog, type Origin, type SignInEntry } from '../log/sign-in-log.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { connectionChanged, type Found } from './found-accounts.js';

/** A new session. */
export interface SignedIn {
  id: string;
  /** The token for the cookie. */
  token: string;
  userId: string;
}

/** Writes session, binding and line of the log for a found user, in one transaction under locks. */
@Injectable()
export class SessionStart {
  constructor(
    private readonly db: Database,
    private readonly connections: ConnectionStore,
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
    private readonly bindings: BindingsRepository,
    private readonly idpLogouts: IdpLogouts,
    private readonly sessions: SessionsService,
    private readonly log: SignInLog,
  ) {}

  /**
   * Begins the session, and ends the former one of the browser.
   *
   * @param old the token of the former session of the browser; null: there is none
   * @throws {SignInRefused} when the user, the connection or the session at the IdP has ended since
   * @throws {EvidenceChanged} when the decision has to be made again
   */
  begin(
    connection: Connection,
    verified: VerifiedSignIn,
    found: Found,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn> {
    const { tenantId, id: connectionId } = connection;
    return this.db.transaction(tenantId, async (tx) => {
      if (!(await this.connections.holds(tx, connection))) throw connectionChanged();
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

/** Returns the line of the log for a sign-in that began a session. */
function successOf(connection: Connection, verified: VerifiedSignIn, found: Found, sessionId: string): SignInEntry {
  const { account, decision, linkedBy } = found;
  const detail = [verified.staleness, verified.userInfoProblem, roleNote(connection, found)].filter(Boolean).join(' ');
  return {
    kind: 'sign-in',
    connectionId: connection.id,
    outcome: 'success',
    detail: detail || null,
    account: account.shown,
    subject: verified.subject,
    userId: decision.user.id,
    linkedBy,
    sessionId,
  };
}

/** Returns why the sign-in has not set the role of a user created by sign-in; null: it has, or another source does. */
function roleNote({ roleMap, defaultRole }: Connection, { account, decision, linkedBy }: Found): string | null {
  const { source, directory_id } = decision.user;
  const isMapped = roleMap.length > 0 && source === 'sign-in' && directory_id === null;
  if (!isMapped || account.role.kind === 'values') return null;
  const role = linkedBy === 'created' ? `The role is ${defaultRole}` : 'The role stays';
  return `${role}: ${account.role.why}.`;
}
