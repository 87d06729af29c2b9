import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { type ParsedToken, parseToken } from '../../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { UsersRepository } from '../../../directory-sync/users/users.repository.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import type { EndReason } from '../../../tenancy/sessions/session.js';
import { SessionsRepository } from '../../../tenancy/sessions/sessions.repository.js';
import { CredentialLookups, nameOfToken } from '../../../tenancy/tenants/credential-cache.js';
import type { ListedSessionBody } from './sessions.dto.js';

/** A session as each request checks it. */
export interface SessionRow {
  id: string;
  tenant_id: string;
  tenant_name: string;
  user_id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  /** The four are null for a session of a sign-in link, which has no connection. */
  connection_id: string | null;
  connection_slug: string | null;
  connection_name: string | null;
  connection_type: 'oidc' | 'saml' | null;
  auth_context: string | null;
  /** When the user authenticated; null when the IdP does not state it. */
  authenticated_at: Date | null;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  idle_seconds: number;
}

// Read from the database each time, so that no process accepts a session that another one has ended. The epoch is a
// column of the user: it moves with everything that ends the user's sessions, also for a session that the ending
// statement cannot see yet.
const LIVE = `s.ended_at is null and s.expires_at > now() and s.seen_at + make_interval(secs => s.idle_seconds) > now()`;
// A session of a sign-in link has no connection and outlives each of them.
const OPEN = `(s.connection_id is null or (c.enabled and c.deleted_at is null))`;

/**
 * Returns the query that finds the user (`id`, `role`) of a session that has not ended. Its idle time does not count: a session
 * of the console has an idle time of its own. The arguments are SQL expressions.
 */
export function openSessionQuery(tenantId: string, sessionId: string): string {
  return `select u.id, u.role from sessions s
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active' and u.session_epoch = s.user_epoch
    left join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
    where s.tenant_id = ${tenantId} and s.id = ${sessionId} and s.ended_at is null and s.expires_at > now() and ${OPEN}`;
}

const CHECKED = `
  select s.id, s.tenant_id, t.name as tenant_name, s.user_id, u.email, u.first_name, u.last_name, u.role,
    s.connection_id, c.slug as connection_slug, c.name as connection_name, c.type as connection_type, s.auth_context,
    s.authenticated_at, s.created_at, s.seen_at, s.expires_at, s.idle_seconds
  from sessions s
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active' and u.session_epoch = s.user_epoch
    left join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
    join tenants t on t.id = s.tenant_id
  where ${LIVE} and ${OPEN} and s.tenant_id = `;
// `limit 1` keeps each probe an index lookup, also when the planner misjudges the arrays.
const CHECKED_MANY = `
  select x.tenant_id as of_tenant, x.hash as of_hash, c.* from unnest($1::text[], $2::bytea[]) x (tenant_id, hash)
    cross join lateral (${CHECKED}x.tenant_id and s.hash = x.hash limit 1) c`;

/** The minimum time between two notes of use; a tenth of the idle time where that is shorter. */
const TOUCH_SECONDS = 60;

/** Checks sessions on each use, lists those of a user, and ends all of a user on all processes at once. */
@Injectable()
export class LiveSessions {
  private readonly lookups = new CredentialLookups((tokens) => this.readMany(tokens));

  constructor(
    private readonly db: Database,
    private readonly sessions: SessionsRepository,
    private readonly endings: SessionEndings,
    private readonly users: UsersRepository,
    private readonly clock: Clock,
  ) {}

  async check(token: string | null): Promise<SessionRow | null> {
    const parsed = token === null ? null : parseToken(token);
    if (parsed === null || parsed.kind !== 'tbn') return null;
    // In batches: a flood of invalid cookies can name any tenant, and must neither use that tenant's share of the database
    // nor refuse valid ones.
    const session = await this.lookups.find(parsed);
    return session === null ? null : this.use(session);
  }

  /**
   * Returns the live session that one of our tokens names as `sid`.
   *
   * @param use whether the token is renewed, which is a use of the session
   */
  async byId(tenantId: string, id: string, use: boolean): Promise<SessionRow | null> {
    const { rows } = await this.db.query<SessionRow>(`${CHECKED}$1 and s.id = $2`, [tenantId, id]);
    const session = rows[0] ?? null;
    return session !== null && use ? this.use(session) : session;
  }

  async endOne(
    tenantId: string,
    userId: string,
    id: string,
    why: EndReason,
    db: SqlRunner = this.db,
  ): Promise<boolean> {
    return (await this.endings.end(db, tenantId, id, why, userId)) !== null;
  }

  async endAll(tx: SqlRunner, tenantId: string, userId: string, why: EndReason): Promise<number> {
    // The epoch also ends a session that a concurrent sign-in is writing; the update waits for that sign-in.
    await this.users.moveSessionEpoch(tx, tenantId, userId);
    return this.endings.ofUser(tx, tenantId, userId, why);
  }

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

  private async readMany(tokens: readonly ParsedToken[]): Promise<Map<string, SessionRow>> {
    const { rows } = await this.db.query<SessionRow & { of_tenant: string; of_hash: Buffer }>(CHECKED_MANY, [
      tokens.map(({ tenantId }) => tenantId),
      tokens.map(({ hash }) => hash),
    ]);
    return new Map(rows.map(({ of_tenant, of_hash, ...row }) => [nameOfToken(of_tenant, of_hash), row]));
  }

  async list(tenantId: string, userId: string): Promise<ListedSessionBody[]> {
    const { rows } = await this.db.query<ListedSessionBody>(
      `select s.id, s.connection_id, c.name as connection, s.ip, s.user_agent, s.created_at, s.seen_at,
         least(s.expires_at, s.seen_at + make_interval(secs => s.idle_seconds)) as expires_at
       from sessions s
         join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active'
           and u.session_epoch = s.user_epoch
         left join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
       where ${LIVE} and ${OPEN} and s.tenant_id = $1 and s.user_id = $2 order by s.id desc limit 200`,
      [tenantId, userId],
    );
    return rows;
  }
}
