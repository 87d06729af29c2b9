import { Injectable } from '@nestjs/common';
import { codeOf } from '../../../base/database/database.errors.js';
import { EvidenceChanged } from '../accounts/evidence-changed.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { UsedMessages } from '../../../tenancy/sessions/sessions.repository.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { Origin } from '../log/sign-in-log.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { FoundAccounts } from './found-accounts.js';
import { SessionStart, type SignedIn } from './session-start.js';

const UNIQUE_VIOLATION = '23505';
/** How often a sign-in is decided again when its evidence has changed before the commit. */
const ATTEMPTS = 3;

/** Makes a session of a verified sign-in. Sessions of IdPs begin only here. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly messages: UsedMessages,
    private readonly limits: SignInLimits,
    private readonly found: FoundAccounts,
    private readonly start: SessionStart,
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
        const found = await this.found.find(connection, verified, origin.requestId);
        const signedIn = await this.start.begin(connection, verified, found, old, origin);
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
    if (once !== null && !(await this.messages.use(tenantId, id, once.id, once.until))) {
      throw new SignInRefused('replayed', 'this answer of the IdP was used before');
    }
  }
}
