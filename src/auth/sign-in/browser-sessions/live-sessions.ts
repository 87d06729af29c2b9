import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { parseToken } from '../../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { UsersRepository } from '../../../directory-sync/users/users.repository.js';
import type { EndReason } from '../../../tenancy/sessions/session.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import { SessionsRepository } from '../../../tenancy/sessions/sessions.repository.js';
import { LiveSessionsRepository, type SessionRow } from './live-sessions.repository.js';
import type { ListedSessionBody } from './sessions.dto.js';

/** The minimum time between two notes of use; a tenth of the idle time where that is shorter. */
const TOUCH_SECONDS = 60;

/** Checks sessions on each use, lists those of a user, and ends all of a user on all processes at once. */
@Injectable()
export class LiveSessions {
  constructor(
    private readonly db: Database,
    private readonly live: LiveSessionsRepository,
    private readonly sessions: SessionsRepository,
    private readonly endings: SessionEndings,
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  /** Returns the live session of a token and notes its use; null for any other token. */
  async check(token: string | null): Promise<SessionRow | null> {
    const parsed = token === null ? null : parseToken(token);
    if (parsed === null || parsed.kind !== 'tbn') return null;
    const session = await this.live.byToken(parsed);
    return session === null ? null : this.use(session);
  }

  /**
   * Returns the live session that one of our tokens names.
   *
   * @param use true: the token is renewed, which is a use of the session; false: the token is introspected
   */
  async byId(tenantId: string, id: string, use: boolean): Promise<SessionRow | null> {
    const session = await this.live.byId(tenantId, id);
    return session !== null && use ? this.use(session) : session;
  }

  /** Lists the live sessions of a user, newest first. */
  list(tenantId: string, userId: string): Promise<ListedSessionBody[]> {
    return this.live.ofUser(tenantId, userId);
  }

  /** Ends one session of a user; false when the user has no such session. */
  async endOne(
    tenantId: string,
    userId: string,
    id: string,
    why: EndReason,
    db: SqlRunner = this.db,
  ): Promise<boolean> {
    return (await this.endings.end(db, tenantId, id, why, userId)) !== null;
  }

  /** Ends all sessions of a user in a transaction; returns their number. */
  async endAll(tx: SqlRunner, tenantId: string, userId: string, why: EndReason): Promise<number> {
    // The epoch also ends a session that a concurrent sign-in is writing; the update waits for that sign-in.
    await this.users.moveSessionEpoch(tx, tenantId, userId);
    return this.endings.ofUser(tx, tenantId, userId, why);
  }

  /** Returns when a session ends without further use. */
  endOf({ expires_at, seen_at, idle_seconds }: Pick<SessionRow, 'expires_at' | 'seen_at' | 'idle_seconds'>): Date {
    return new Date(Math.min(expires_at.getTime(), seen_at.getTime() + idle_seconds * 1000));
  }

  private async use(session: SessionRow): Promise<SessionRow> {
    const every = Math.min(TOUCH_SECONDS, session.idle_seconds / 10) * 1000;
    const now = this.clock.now();
    if (now.getTime() - session.seen_at.getTime() < every) return session;
    await this.sessions.touch(session.tenant_id, session.id);
    return { ...session, seen_at: now };
  }
}
