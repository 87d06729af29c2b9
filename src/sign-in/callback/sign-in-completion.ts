import { Injectable } from '@nestjs/common';
import { codeOf, Database, type SqlRunner } from '../../base/database/database.js';
import { AccountMaking } from '../accounts/account-making.js';
import { isAnother, mayMake, refusalOf, type Candidate } from '../accounts/account.rules.js';
import { AccountsRepository } from '../accounts/accounts.repository.js';
import { AccountsService, type FoundAccount } from '../accounts/accounts.service.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { SignInRequestsRepository } from '../requests/sign-in-requests.repository.js';
import { IdpLogouts } from '../../sessions/idp-logouts.repository.js';
import { SessionsService } from '../../sessions/sessions.service.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';
import { SignInLimits } from '../limits/sign-in-limits.js';

/** A session that has just begun. */
export interface SignedIn {
  id: string;
  /** For the cookie. */
  token: string;
  userId: string;
}

const UNIQUE_VIOLATION = '23505';
/** So often who is meant is found anew, when it has changed until it is written down. */
const ATTEMPTS = 3;

/** What a sign-in was found by is no longer so when it is written down. */
class FoundNoMore extends Error {}

/** From what an IdP has vouched for to a session: the one place where sessions begin. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly db: Database,
    private readonly connections: ConnectionStore,
    private readonly requests: SignInRequestsRepository,
    private readonly accounts: AccountsService,
    private readonly making: AccountMaking,
    private readonly repository: AccountsRepository,
    private readonly domains: DomainsStore,
    private readonly sessions: SessionsService,
    private readonly idpLogouts: IdpLogouts,
    private readonly log: SignInLog,
    private readonly limits: SignInLimits,
  ) {}

  /**
   * Signs the person in and ends the session that the browser had before (`old`: its cookie's token; null where it had
   * none, or where that cannot be seen here). Throws `SignInRefused`; then there is no session, though somebody may
   * have been made (who has no seat), or their names brought up to date.
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
      const found = await this.find(connection, verified, origin.requestId);
      try {
        const signedIn = await this.begin(connection, verified, found, old, origin);
        // The session stands: where this cannot be written down, the next sign-in does it.
        await this.connections.noteSuccess(connection).catch(() => undefined);
        return signedIn;
      } catch (error) {
        // Two first sign-ins of one person in the same moment: the second one finds what the first has bound.
        if (codeOf(error) !== UNIQUE_VIOLATION && !(error instanceof FoundNoMore)) throw error;
      }
    }
    throw new SignInRefused('account_changed', 'who the account is was changed again and again in this moment');
  }

  /** A message that could be sent again is noted before anything is done because of it (SAML-14). */
  async useOnce({ tenantId, id }: Connection, { once }: VerifiedSignIn): Promise<void> {
    if (once !== null && !(await this.requests.useMessage(tenantId, id, once.id, once.until))) {
      throw new SignInRefused('replayed', 'this answer of the IdP was used before');
    }
  }

  private async find(connection: Connection, verified: VerifiedSignIn, requestId: string): Promise<FoundAccount> {
    const found = await this.accounts.find(connection, verified);
    if (found.person !== null) {
      await this.demandHeld(connection, this.db);
      await this.making.refresh(connection, found.person, found.account, requestId);
      return found;
    }
    if (!mayMake(connection, found.refusal)) throw found.refusal;
    await this.demandHeld(connection, this.db);
    let quicker: SignInRefused | null = null;
    try {
      await this.making.make(connection, found.account, requestId);
    } catch (error) {
      // Another first sign-in of the same person may have been quicker: then they are there, and bound, by now.
      if (!(error instanceof SignInRefused) || error.reason !== 'account_taken') throw error;
      quicker = error;
    }
    const now = await this.accounts.find(connection, verified);
    if (now.person === null) throw quicker ?? now.refusal;
    return quicker === null ? { ...now, linkedBy: 'created' } : now;
  }

  /** Whether the connection is still the one that the sign-in began with; asked again where it is written down. */
  private async demandHeld(connection: Connection, db: SqlRunner): Promise<void> {
    if (await this.connections.holds(db, connection)) return;
    const why = 'the connection was changed while this sign-in was under way';
    throw new SignInRefused('connection_changed', why);
  }

  private begin(
    connection: Connection,
    verified: VerifiedSignIn,
    found: FoundAccount,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn> {
    const { tenantId, id: connectionId } = connection;
    return this.db.transaction(tenantId, async (tx) => {
      await this.demandHeld(connection, tx);
      if (await this.idpLogouts.hasEnded(tx, tenantId, connectionId, verified)) {
        const why = 'the IdP has signed the person out since it answered';
        throw new SignInRefused('idp_session_ended', why, found.account.shown, found.person.id);
      }
      const person = await this.demandStillIn(tx, tenantId, found);
      await this.demandStillOwned(tx, connection, found);
      await this.bind(tx, connection, found);
      await this.sessions.end(old, 'signed_in_again', tx);
      const who = { userId: person.id, userEpoch: person.session_epoch, connectionId, verified };
      const session = await this.sessions.begin(tx, tenantId, who, origin);
      const entry = {
        kind: 'sign-in',
        connectionId,
        outcome: 'success',
        detail: verified.userInfoProblem ?? null,
        account: found.account.shown,
        subject: verified.subject,
        userId: person.id,
        linkedBy: found.linkedBy,
        sessionId: session.id,
      } as const;
      await this.log.record(tenantId, entry, origin, tx);
      return { id: session.id, token: session.token, userId: person.id };
    });
  }

  /**
   * Holds the person until the session is written, and takes the epoch that it is of: who is put out in this moment
   * waits for it, and moves the epoch on. A session that came to be in between is over, and stays so.
   */
  private async demandStillIn(tx: SqlRunner, tenantId: string, found: FoundAccount): Promise<Candidate> {
    const person = await this.repository.person(tenantId, found.person.id, tx, true);
    if (person === null) throw new SignInRefused('account_deleted', 'the person was removed', found.account.shown);
    const refusal = refusalOf(person, found.account);
    if (refusal !== null) throw refusal;
    if (isAnother(found.person, person)) throw new FoundNoMore();
    return person;
  }

  /**
   * Whom an e-mail has led to, or proven, is asked again whose its domain is, which then stays so until the session is
   * written.
   */
  private async demandStillOwned(tx: SqlRunner, { tenantId, id }: Connection, found: FoundAccount): Promise<void> {
    const { linkedBy, binding, account, newlyProven } = found;
    if (newlyProven !== true && (linkedBy === 'known' || binding.made_by !== 'email')) return;
    if (!(await this.domains.isOwned(tenantId, account.emailDomain!, id, tx))) throw new FoundNoMore();
  }

  /** Writes down what was found, if that is still so: else who is meant is found anew. */
  private async bind(tx: SqlRunner, connection: Connection, found: FoundAccount): Promise<void> {
    const { tenantId, id } = connection;
    const { linkedBy, binding, replaces } = found;
    const there = linkedBy === 'known' || linkedBy === 'created';
    const done = there
      ? await this.repository.touch(tx, tenantId, id, binding)
      : await this.repository.bind(tx, tenantId, id, binding, replaces);
    if (!done) throw new FoundNoMore();
  }
}
