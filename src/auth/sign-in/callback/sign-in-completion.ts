import { Injectable } from '@nestjs/common';
import { codeOf } from '../../../base/database/database.errors.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { BindingsRepository } from '../../../tenancy/sessions/bindings.repository.js';
import { SessionsRepository } from '../../../tenancy/sessions/sessions.repository.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import type { Connection } from '../../connections/connection.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { ConnectionStore } from '../../connections/store.js';
import { isAnother, accountRefusalOf, type Candidate } from '../accounts/account.rules.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { refusalError, EvidenceChanged, AccountsService } from '../accounts/accounts.service.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInLog, type Origin, type SignInEntry } from '../log/sign-in-log.js';
import { sendPage, TenantFaces } from '../pages/layout.js';
import { testPage } from '../pages/pages.js';
import { workingTest } from '../requests/test-result.mapping.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import { SignInRefused, type SignInRefusalReason } from '../sign-in.errors.js';
import { connectionChanged, type Found, FoundAccounts } from './found-accounts.js';

export interface SignedIn {
  id: string;
  token: string;
  userId: string;
}

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

/** Returns why the sign-in has not set the role of a user created by sign-in; null when it has, or another source does. */
function roleNote({ roleMap, defaultRole }: Connection, { account, decision, linkedBy }: Found): string | null {
  const { source, directory_id } = decision.user;
  const isMapped = roleMap.length > 0 && source === 'sign-in' && directory_id === null;
  if (!isMapped || account.role.kind === 'values') return null;
  const role = linkedBy === 'created' ? `The role is ${defaultRole}` : 'The role stays';
  return `${role}: ${account.role.why}.`;
}

const UNIQUE_VIOLATION = '23505';
/** How often a sign-in is decided when its evidence changes before the commit. */
const ATTEMPTS = 3;

/**
 * Makes a session of a verified sign-in. Sessions of IdPs begin only here: session, binding and line of the log are written in
 * one transaction. Test sign-ins end here, too: they show which user an answer leads to, and begin no session.
 */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly sessionRows: SessionsRepository,
    private readonly limits: SignInLimits,
    private readonly found: FoundAccounts,
    private readonly db: Database,
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionsService,
    private readonly log: SignInLog,
    private readonly accounts: AccountsService,
    private readonly faces: TenantFaces,
    private readonly start: SignInStart,
  ) {}

  /**
   * Signs the user in and ends the former session of the browser.
   *
   * @param old the token of the former session; null when there is none, or it cannot be seen here
   * @throws {SignInRefused} when there is no session. A user may have been created (without a seat), or names updated
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
        const found = await this.found.find(connection, verified, origin.requestId);
        const signedIn = await this.beginSession(connection, verified, found, old, origin);
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

  private async useOnce({ tenantId, id }: Connection, { once }: VerifiedSignIn): Promise<void> {
    if (once !== null && !(await this.sessionRows.use(tenantId, id, once.id, once.until))) {
      throw new SignInRefused('replayed', 'this answer of the IdP was used before');
    }
  }

  /** @throws {EvidenceChanged} when the decision has to be made again */
  private beginSession(
    connection: Connection,
    verified: VerifiedSignIn,
    found: Found,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn> {
    const { tenantId, id: connectionId } = connection;
    return this.db.transaction(tenantId, async (tx) => {
      if (!(await this.connections.holds(tx, connection))) throw connectionChanged();
      if (await this.sessionRows.hasIdpEnded(tx, tenantId, connectionId, verified)) {
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
   * Locks the user until the session is written, and returns its session epoch. A concurrent deactivation waits for the lock
   * and then moves the epoch, which ends the session.
   */
  private async demandStillIn(tx: SqlRunner, tenantId: string, { account, decision }: Found): Promise<Candidate> {
    const user = await this.repository.person(tenantId, decision.user.id, tx, true);
    if (user === null) throw new SignInRefused('account_deleted', 'the user was deleted', account.shown);
    const refusal = accountRefusalOf(user);
    if (refusal !== null) throw refusalError(refusal, account);
    if (isAnother(decision.user, user)) throw new EvidenceChanged();
    return user;
  }

  /** Locks the domain of the e-mail until the session is written, where the e-mail leads to the user or proves the binding. */
  private async demandStillOwned(tx: SqlRunner, { tenantId, id }: Connection, found: Found): Promise<void> {
    const { account, decision, linkedBy } = found;
    const byEmail = linkedBy !== 'known' && decision.binding.made_by === 'email';
    const newlyProven = decision.kind === 'keep' && decision.newlyProven;
    if (!byEmail && !newlyProven) return;
    if (!(await this.domains.isOwned(tenantId, account.emailDomain!, id, tx))) throw new EvidenceChanged();
  }

  private async bind(tx: SqlRunner, { tenantId, id }: Connection, { decision, linkedBy }: Found): Promise<void> {
    const { binding } = decision;
    const done =
      decision.kind === 'keep' || linkedBy === 'created'
        ? await this.bindings.touch(tx, tenantId, id, binding)
        : await this.bindings.bind(tx, tenantId, id, binding, decision.replaces);
    if (!done) throw new EvidenceChanged();
  }

  async finishTest(req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const { connection } = req.signInContext!;
    const verified = req.user!;
    await this.useOnce(connection, verified);
    const { account, decision } = await this.accounts.resolve(connection, verified);
    if (decision.kind === 'refuse') {
      if (await this.lacksOnlyTheDomain(connection, decision.reason, account)) {
        await this.connections.noteSuccess(connection);
      }
      throw refusalError(decision, account);
    }
    const user = decision.kind === 'create' ? null : decision.user;
    const linkedBy = decision.kind === 'create' ? null : decision.kind === 'keep' ? 'known' : decision.linkedBy;
    const outcome =
      user === null
        ? 'This would create a new account.'
        : `This would sign in ${user.email ?? user.user_name} (${user.id}), found by: ${linkedBy}.`;
    await this.log.record(
      connection.tenantId,
      {
        kind: 'test',
        connectionId: connection.id,
        outcome: 'success',
        detail: verified.userInfoProblem ?? null,
        account: account.shown,
        subject: verified.subject,
        userId: user?.id ?? null,
        linkedBy,
      },
      originOf(req),
    );
    await this.connections.noteSuccess(connection);
    const result = workingTest(connection, verified, outcome);
    // The cookie lives as long as the result, so that the page can be reloaded.
    const cookie = await this.start.keepTestResult(req, result);
    if (cookie !== null) res.setHeader('Set-Cookie', cookie);
    sendPage(res, testPage(result), await this.faces.of(connection.tenantId));
  }

  /** Such a test counts: a domain can be bound to a tested connection only. */
  private async lacksOnlyTheDomain(
    { tenantId, jit, directoryId }: Connection,
    reason: SignInRefusalReason,
    { emailDomain }: ClaimedAccount,
  ): Promise<boolean> {
    const creates = jit && directoryId === null;
    if (creates || reason !== 'email_outside_domains' || emailDomain === null) return false;
    return (await this.domains.owner(emailDomain))?.tenantId === tenantId;
  }
}
