import { Injectable } from '@nestjs/common';
import type { ParsedToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { WriteStatement } from '../../base/database/write-statement.js';
import { CredentialLookups, nameOfToken } from '../tenants/credential-lookups.js';
import type { NameId } from '../../protocols/saml/saml-sign-in.js';

/** A session as requests check it. */
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
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
  idle_seconds: number;
}

/** A session to be written. */
export interface NewSession {
  id: string;
  hash: Buffer;
  userId: string;
  userEpoch: number;
  connectionId: string | null;
  subject: string;
  idpSession: string | null;
  otherIdpSessions: readonly string[];
  nameId: NameId | null;
  idTokenSealed: string | null;
  authContext: string | null;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: Date;
}

/** A session in the list of its user. */
export interface ListedSession {
  id: string;
  connection_id: string | null;
  connection: string | null;
  ip: string | null;
  user_agent: string | null;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
}

// Read from the database each time, so that no process accepts a session that another one has ended. The epoch is a
// column of the user: it moves with everything that ends the user's sessions, also for a session that the ending
// statement cannot see yet.
const LIVE = `s.ended_at is null and s.expires_at > now() and s.seen_at + make_interval(secs => s.idle_seconds) > now()`;
// A session of a sign-in link has no connection and outlives each of them.
const OPEN = `(s.connection_id is null or (c.enabled and c.deleted_at is null))`;
const CHECKED = `
  select s.id, s.tenant_id, t.name as tenant_name, s.user_id, u.email, u.first_name, u.last_name, u.role,
    s.connection_id, c.slug as connection_slug, c.name as connection_name, c.type as connection_type, s.auth_context,
    s.created_at, s.seen_at, s.expires_at, s.idle_seconds
  from sessions s
    join users u on u.tenant_id = s.tenant_id and u.id = s.user_id and u.status = 'active' and u.session_epoch = s.user_epoch
    left join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
    join tenants t on t.id = s.tenant_id
  where ${LIVE} and ${OPEN} and s.tenant_id = `;
// `limit 1` keeps each probe an index lookup, whatever the planner estimates for the arrays.
const CHECKED_MANY = `
  select x.tenant_id as of_tenant, x.hash as of_hash, c.* from unnest($1::text[], $2::bytea[]) x (tenant_id, hash)
    cross join lateral (${CHECKED}x.tenant_id and s.hash = x.hash limit 1) c`;

/** SQL that reads, begins and touches sessions. */
@Injectable()
export class SessionsRepository {
  private readonly lookups = new CredentialLookups((tokens) => this.readMany(tokens));

  constructor(private readonly db: Database) {}

  /**
   * Returns the live session of a cookie. Cookies are read in batches: a flood of invalid ones can name any tenant, and
   * must neither use that tenant's share of the database nor refuse valid ones.
   */
  byToken(token: ParsedToken): Promise<SessionRow | null> {
    return this.lookups.find(token);
  }

  /** Returns the live session with an id, which our tokens name as `sid`. */
  async byId(tenantId: string, id: string): Promise<SessionRow | null> {
    const { rows } = await this.db.query<SessionRow>(`${CHECKED}$1 and s.id = $2`, [tenantId, id]);
    return rows[0] ?? null;
  }

  private async readMany(tokens: readonly ParsedToken[]): Promise<Map<string, SessionRow>> {
    const { rows } = await this.db.query<SessionRow & { of_tenant: string; of_hash: Buffer }>(CHECKED_MANY, [
      tokens.map(({ tenantId }) => tenantId),
      tokens.map(({ hash }) => hash),
    ]);
    return new Map(rows.map(({ of_tenant, of_hash, ...row }) => [nameOfToken(of_tenant, of_hash), row]));
  }

  async insert(tx: SqlRunner, tenantId: string, session: NewSession): Promise<void> {
    await tx.query(
      `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idp_session, name_id,
         id_token_sealed, auth_context, ip, user_agent, idle_seconds, expires_at, other_idp_sessions)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
      [
        tenantId,
        session.id,
        session.hash,
        session.userId,
        session.userEpoch,
        session.connectionId,
        session.subject,
        session.idpSession,
        session.nameId === null ? null : JSON.stringify(session.nameId),
        session.idTokenSealed,
        session.authContext,
        session.ip,
        session.userAgent,
        session.idleSeconds,
        session.expiresAt,
        othersOf(session),
      ],
    );
  }

  /** Adds a session to a statement whose subject has `user_id` and `session_epoch`. */
  add(statement: WriteStatement, tenantId: string, session: Omit<NewSession, 'userId' | 'userEpoch'>): void {
    statement.add(
      (
        p,
      ) => `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idp_session, name_id,
         id_token_sealed, auth_context, ip, user_agent, idle_seconds, expires_at, other_idp_sessions)
       select ${p.add(tenantId)}, ${p.add(session.id)}, ${p.add(session.hash)}, s.user_id, s.session_epoch,
         ${p.add(session.connectionId)}, ${p.add(session.subject)}, ${p.add(session.idpSession)},
         ${p.add(session.nameId === null ? null : JSON.stringify(session.nameId))}, ${p.add(session.idTokenSealed)},
         ${p.add(session.authContext)}, ${p.add(session.ip)}, ${p.add(session.userAgent)}, ${p.add(session.idleSeconds)},
         ${p.add(session.expiresAt)}, ${p.add(othersOf(session), 'text[]')}
       from subject s`,
    );
  }

  /** Notes the use of a session. */
  async touch(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update sessions set seen_at = now() where tenant_id = $1 and id = $2 and ended_at is null and seen_at < now()`,
      [tenantId, id],
    );
  }

  /** Lists the live sessions of a user, newest first. */
  async ofUser(tenantId: string, userId: string): Promise<ListedSession[]> {
    const { rows } = await this.db.query<ListedSession>(
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

/** Nearly every session has none. */
function othersOf({ otherIdpSessions }: Pick<NewSession, 'otherIdpSessions'>): readonly string[] | null {
  return otherIdpSessions.length === 0 ? null : otherIdpSessions;
}
