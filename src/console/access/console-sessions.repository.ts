import { Injectable } from '@nestjs/common';
import type { SessionRow } from '../../auth/sign-in/browser-sessions/live-sessions.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { ConsoleRole } from '../../tenancy/tenants/console-credentials.js';
import { IDLE_SECONDS } from './console-access.dto.js';

interface NewConsoleSession {
  id: string;
  hash: Buffer;
  expiresAt: Date;
}

/** What `GET /me` shows of a session. */
interface SessionFactsRow {
  link_role: ConsoleRole | null;
  signed_in_at: Date;
  authenticated_at: Date | null;
  expires_at: Date;
  entered_until: Date | null;
  tenant_id: string | null;
  tenant_name: string | null;
  user_id: string | null;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
}

/** The statements of sessions of the console. The tenant of an operator's session is ''. */
@Injectable()
export class ConsoleSessionsRepository {
  constructor(private readonly db: Database) {}

  /** Begins a session by a sign-in, in place of the former one of the same sign-in. */
  async beginBySignIn(
    tx: SqlRunner,
    tenantId: string,
    session: NewConsoleSession,
    signIn: Pick<SessionRow, 'id' | 'user_id' | 'created_at' | 'authenticated_at'>,
  ): Promise<void> {
    await tx.query(
      `insert into console_sessions (tenant_id, id, hash, session_id, user_id, signed_in_at, expires_at, authenticated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, session_id) do update set id = excluded.id, hash = excluded.hash, last_used_at = now(),
         expires_at = excluded.expires_at, revoked_at = null`,
      [
        tenantId,
        session.id,
        session.hash,
        signIn.id,
        signIn.user_id,
        signIn.created_at,
        session.expiresAt,
        signIn.authenticated_at,
      ],
    );
  }

  /** Begins a session by a link. */
  async beginByLink(tx: SqlRunner, tenantId: string, session: NewConsoleSession, role: ConsoleRole): Promise<void> {
    await tx.query(
      `insert into console_sessions (tenant_id, id, hash, link_role, expires_at, authenticated_at)
       values ($1, $2, $3, $4, $5, now())`,
      [tenantId, session.id, session.hash, role, session.expiresAt],
    );
  }

  /** Ends the session of a cookie; returns its id, or null when there is no live one. */
  async end(tenantId: string, hash: Buffer, db: SqlRunner = this.db): Promise<string | null> {
    const { rows } = await db.query<{ id: string }>(
      `update console_sessions set revoked_at = now() where tenant_id = $1 and hash = $2 and revoked_at is null
       returning id`,
      [tenantId, hash],
    );
    return rows[0]?.id ?? null;
  }

  /** Lets the session of the operator read a tenant; returns until when. */
  async enter(tx: SqlRunner, id: string, tenantId: string, seconds: number): Promise<Date> {
    const { rows } = await tx.query<{ entered_until: Date }>(
      `update console_sessions set entered_tenant_id = $2, entered_until = now() + make_interval(secs => $3)
       where tenant_id = '' and id = $1 returning entered_until`,
      [id, tenantId, seconds],
    );
    return rows[0]!.entered_until;
  }

  /** Ends the reading of a tenant; false when the session has not entered that one. */
  async leave(tx: SqlRunner, id: string, tenantId: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `update console_sessions set entered_tenant_id = null, entered_until = null
       where tenant_id = '' and id = $1 and entered_tenant_id = $2 and entered_until > now()`,
      [id, tenantId],
    );
    return rowCount === 1;
  }

  /** Returns what `GET /me` shows of a session that is in use now. */
  async facts(tenantId: string, id: string): Promise<SessionFactsRow | null> {
    const { rows } = await this.db.query<SessionFactsRow>(
      `select s.link_role, s.signed_in_at, s.authenticated_at, least(s.expires_at, now() + interval '${IDLE_SECONDS} seconds') as expires_at,
         case when s.entered_until > now() then s.entered_until end as entered_until, t.id as tenant_id, t.name as tenant_name,
         u.id as user_id, u.email, u.first_name, u.last_name
       from console_sessions s
         left join tenants t on t.id = case when s.tenant_id <> '' then s.tenant_id
           when s.entered_until > now() then s.entered_tenant_id end
         left join users u on u.tenant_id = s.tenant_id and u.id = s.user_id
       where s.tenant_id = $1 and s.id = $2`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }
}

/** Sessions and links that have been over for a day. */
export const CONSOLE_LEFTOVERS = [
  `delete from console_sessions where expires_at < now() - interval '1 day'`,
  `delete from console_links where expires_at < now() - interval '1 day'`,
];
