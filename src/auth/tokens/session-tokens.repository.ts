import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';

/** What a one-time code or a refresh token stands for. */
export interface SessionTokenRow {
  session_id: string;
  audience: string;
  code_challenge: string | null;
}

export type SessionTokenKind = 'code' | 'refresh';

/** Codes and refresh tokens of sessions, by their hashes. */
@Injectable()
export class SessionTokensRepository {
  constructor(private readonly db: Database) {}

  /** Adds one that lives for so many seconds, and never longer than its session. */
  async insert(
    tenantId: string,
    token: { hash: Buffer; kind: SessionTokenKind; seconds: number } & SessionTokenRow,
  ): Promise<void> {
    await this.db.query(
      `insert into session_tokens (tenant_id, hash, session_id, kind, audience, code_challenge, expires_at)
       select s.tenant_id, $2, s.id, $4, $5, $6, least(s.expires_at, now() + make_interval(secs => $7))
       from sessions s where s.tenant_id = $1 and s.id = $3`,
      [tenantId, token.hash, token.session_id, token.kind, token.audience, token.code_challenge, token.seconds],
    );
  }

  /**
   * Uses one up: of all who try, one gets it. One that was used before is in two hands: then everything of that session
   * for that application is worth nothing any more (RFC 9700 §4.14.2, RFC 6749 §4.1.2).
   */
  async consume(tenantId: string, hash: Buffer, kind: SessionTokenKind): Promise<SessionTokenRow | null> {
    const { rows } = await this.db.query<SessionTokenRow>(
      `update session_tokens set used_at = now()
       where tenant_id = $1 and hash = $2 and kind = $3 and used_at is null and expires_at > now()
       returning session_id, audience, code_challenge`,
      [tenantId, hash, kind],
    );
    if (rows[0] === undefined) {
      await this.db.query(
        `delete from session_tokens t using session_tokens u
         where u.tenant_id = $1 and u.hash = $2 and u.kind = $3 and u.used_at is not null
           and t.tenant_id = u.tenant_id and t.session_id = u.session_id and t.audience = u.audience and t.used_at is null`,
        [tenantId, hash, kind],
      );
    }
    return rows[0] ?? null;
  }
}
