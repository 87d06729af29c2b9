import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { codeOf } from '../../../base/database/database.errors.js';
import { WriteStatement } from '../../../base/database/write-statement.js';
import { holdConnection } from '../../connections/connection-guards.sql.js';
import type { Connection } from '../../connections/connection.js';
import type { LinkKind } from '../../../tenancy/sessions/binding.js';
import { useBinding } from '../../../tenancy/sessions/bindings.repository.js';
import { holdLogouts } from '../../../tenancy/sessions/idp-logouts.repository.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { holdPerson } from '../accounts/accounts.repository.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import type { IdentityDecision } from '../accounts/identity-decision.js';
import { SignInLog, type Origin, type SignInEntry } from '../log/sign-in-log.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';

/** A new session. */
export interface SignedIn {
  id: string;
  /** The token for the cookie. */
  token: string;
  userId: string;
}

/** The user of a sign-in, and what becomes of the binding. */
export interface Found {
  account: ClaimedAccount;
  decision: Extract<IdentityDecision, { kind: 'keep' | 'rebind' }>;
  /** `known`: the subject had this user already. */
  linkedBy: LinkKind | 'known' | 'moved';
}

const DEADLOCK = '40P01';

/**
 * Begins the session of a subject that stays with its user, which nearly every sign-in is, in one statement: the
 * optimistic write beside the transaction of `LockedSignIn`. It takes the same locks in the same order.
 */
@Injectable()
export class KnownSignIn {
  constructor(
    private readonly db: Database,
    private readonly sessions: SessionsService,
    private readonly log: SignInLog,
  ) {}

  /**
   * Begins the session, ends the former one of the browser and writes the line of the log.
   *
   * @returns null when the sign-in is another one or a guard has refused; nothing is written then, and the transaction
   *   finds the reason
   */
  async begin(
    connection: Connection,
    verified: VerifiedSignIn,
    found: Found,
    old: string | null,
    origin: Origin,
  ): Promise<SignedIn | null> {
    const { decision, linkedBy } = found;
    if (decision.kind !== 'keep' || decision.newlyProven || linkedBy !== 'known') return null;
    const { tenantId, id: connectionId } = connection;
    const statement = new WriteStatement();
    const held = holdConnection(statement, connection);
    const open = holdLogouts(statement, tenantId, connectionId, verified, held);
    const person = holdPerson(statement, tenantId, decision.user, open);
    useBinding(statement, tenantId, connectionId, decision.binding, person);
    const session = await this.sessions.add(statement, tenantId, { connectionId, verified, old }, origin);
    const entry = successOf(connection, verified, found, session.id);
    this.log.add(statement, tenantId, entry, origin);
    statement.answer(() => 'subject.user_id');
    if (!(await this.isWritten(statement))) return null;
    this.log.counted(entry);
    return { ...session, userId: decision.user.id };
  }

  private async isWritten(statement: WriteStatement): Promise<boolean> {
    try {
      return (await statement.run(this.db)).length === 1;
    } catch (error) {
      if (codeOf(error) === DEADLOCK) return false;
      throw error;
    }
  }
}

/** Returns the line of the log for a sign-in that began a session. */
export function successOf(
  connection: Connection,
  verified: VerifiedSignIn,
  found: Found,
  sessionId: string,
): SignInEntry {
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
