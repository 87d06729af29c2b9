import { Injectable } from '@nestjs/common';
import type { ParsedToken } from '../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { CredentialLookups, nameOfToken } from '../tenants/credential-lookups.js';
import type { SessionEnd } from './user-endings.js';
import type { NameId } from '../saml/saml-sign-in.js';

/** A session as it is checked: who, through which connection, until when. */
export interface SessionRow {
  id: string;
  tenant_id: string;
  tenant_name: string;
  user_id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  /** The four are null of a session that a sign-in link began: it has no connection. */
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

export interface NewSession {
  id: string;
  hash: Buffer;
  userId: string;
  userEpoch: number;
  connectionId: string | null;
  subject: string;
  idpSession: string | null;
  nameId: NameId | null;
  idTokenSealed: string | null;
  authContext: string | null;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: Date;
}

/** What single logout needs of a session that was just ended. */
export interface EndedSession {
  id: string;
  user_id: string;
  connection_id: string | null;
  subject: string;
  idp_session: string | null;
  name_id: NameId | null;
  id_token_sealed: string | null;
}

/** A session in somebody's list of theirs. */
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

// Asked of the database each time, so that no process ever takes a session that another one has ended, and none outlives
// its person, whatever ended them. The epoch is of the person's row: it moves with what ends their sessions, also for a
// session that is just being written and that the ending statement cannot see yet.
const LIVE = `s.ended_at is null and s.expires_at > now() and s.seen_at + make_interval(secs => s.idle_seconds) > now()`;
// A session of a sign-in link has no connection, so that it outlives each of them.
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
// `limit 1` keeps each probe a look into the index, whatever the planner believes of the arrays.
const CHECKED_MANY = `
  select x.tenant_id as of_tenant, x.hash as of_hash, c.* from unnest($1::text[], $2::bytea[]) x (tenant_id, hash)
    cross join lateral (${CHECKED}x.tenant_id and s.hash = x.hash limit 1) c`;

@Injectable()
export class SessionsRepository {
  private readonly lookups = new CredentialLookups((tokens) => this.readMany(tokens));

  constructor(private readonly db: Database) {}

  /**
   * The live session of a cookie. Cookies are read in batches: a flood of wrong ones names any tenant, and must neither
   * use that tenant's share of the database nor refuse the right ones.
   */
  byToken(token: ParsedToken): Promise<SessionRow | null> {
    return this.lookups.find(token);
  }

  /** The same by its id: what a token of ours names as `sid`. */
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
         id_token_sealed, auth_context, ip, user_agent, idle_seconds, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
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
      ],
    );
  }

  /** Ends the oldest live sessions of a user beyond the newest `most`. */
  async endOldest(tx: SqlRunner, tenantId: string, userId: string, most: number): Promise<void> {
    await tx.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'too_many_sessions'
       where tenant_id = $1 and user_id = $2 and ended_at is null and id <= (
         select o.id from sessions o where o.tenant_id = $1 and o.user_id = $2 and o.ended_at is null
         order by o.id desc offset $3 limit 1)`,
      [tenantId, userId, most],
    );
  }

  /** Notes that a session is in use. */
  async touch(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update sessions set seen_at = now() where tenant_id = $1 and id = $2 and ended_at is null and seen_at < now()`,
      [tenantId, id],
    );
  }

  /** Ends one session of a person, or of whoever holds it; what had not been ended is answered. */
  async end(
    db: SqlRunner,
    tenantId: string,
    id: string,
    why: SessionEnd,
    userId: string | null = null,
  ): Promise<EndedSession | null> {
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and id = $2 and ended_at is null and ($4::text is null or user_id = $4)
       returning id, user_id, connection_id, subject, idp_session, name_id, id_token_sealed`,
      [tenantId, id, why, userId],
    );
    return rows[0] ?? null;
  }

  /** Ends the session of a cookie. */
  async endByHash(db: SqlRunner, tenantId: string, hash: Buffer, why: SessionEnd): Promise<EndedSession | null> {
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and hash = $2 and ended_at is null
       returning id, user_id, connection_id, subject, idp_session, name_id, id_token_sealed`,
      [tenantId, hash, why],
    );
    return rows[0] ?? null;
  }

  /** Ends all sessions of a person; answers how many there were. */
  async endAll(db: SqlRunner, tenantId: string, userId: string, why: SessionEnd): Promise<number> {
    // With the epoch, a session that is just being written is over as well; and this waits for it.
    await db.query(`update users set session_epoch = session_epoch + 1 where tenant_id = $1 and id = $2`, [
      tenantId,
      userId,
    ]);
    const { rowCount } = await db.query(
      `update sessions set ended_at = clock_timestamp(), end_reason = $3
       where tenant_id = $1 and user_id = $2 and ended_at is null`,
      [tenantId, userId, why],
    );
    return rowCount ?? 0;
  }

  /**
   * Ends what an IdP says has ended: the sessions of a user, those of one of its own sessions, or those that are
   * both. Where the IdP did not say at the sign-in which session of its own it was, it may be the one. Answers whom it
   * was about.
   *
   * @param name what the IdP calls the user: the NameID of SAML, else the subject; null: it names sessions alone
   */
  async endByIdp(
    db: SqlRunner,
    tenantId: string,
    connectionId: string,
    name: string | null,
    idpSessions: readonly string[],
  ): Promise<EndedSession[]> {
    // Two texts, so that each has an index: plans are generic.
    const which =
      name === null
        ? `idp_session = any ($3::text[])`
        : `coalesce(name_id ->> 'value', subject) = $4
           and (cardinality($3::text[]) = 0 or idp_session = any ($3) or idp_session is null)`;
    const { rows } = await db.query<EndedSession>(
      `update sessions set ended_at = clock_timestamp(), end_reason = 'idp_logout'
       where tenant_id = $1 and connection_id = $2 and ended_at is null and ${which}
       returning id, user_id, connection_id, subject, idp_session, name_id, id_token_sealed`,
      [tenantId, connectionId, idpSessions, ...(name === null ? [] : [name])],
    );
    return rows;
  }

  /** The live sessions of a person, newest first. */
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
