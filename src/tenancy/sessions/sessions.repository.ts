import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { NameId } from '../../protocols/saml/saml-sign-in.js';

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
  authenticatedAt: Date | null;
  ip: string | null;
  userAgent: string | null;
  idleSeconds: number;
  expiresAt: Date;
}

/** SQL that begins and touches sessions. */
@Injectable()
export class SessionsRepository {
  constructor(private readonly db: Database) {}

  async insert(tx: SqlRunner, tenantId: string, session: NewSession): Promise<void> {
    await tx.query(
      `insert into sessions (tenant_id, id, hash, user_id, user_epoch, connection_id, subject, idp_session, name_id,
         id_token_sealed, auth_context, ip, user_agent, idle_seconds, expires_at, other_idp_sessions, authenticated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
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
        session.authenticatedAt,
      ],
    );
  }

  /** Notes the use of a session. */
  async touch(tenantId: string, id: string): Promise<void> {
    await this.db.query(
      `update sessions set seen_at = now() where tenant_id = $1 and id = $2 and ended_at is null and seen_at < now()`,
      [tenantId, id],
    );
  }
}

/** Nearly every session has none. */
function othersOf({ otherIdpSessions }: Pick<NewSession, 'otherIdpSessions'>): readonly string[] | null {
  return otherIdpSessions.length === 0 ? null : otherIdpSessions;
}
