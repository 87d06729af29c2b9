import { Injectable } from '@nestjs/common';
import type { ParsedToken } from '../../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { CredentialLookups, nameOfToken } from '../../../tenancy/tenants/credential-cache.js';

export interface SessionTokenRow {
  session_id: string;
  audience: string;
  code_challenge: string | null;
}

export type SessionTokenKind = 'code' | 'refresh';

@Injectable()
export class SessionTokensRepository {
  private readonly lookups = new CredentialLookups((tokens) => this.readMany(tokens));

  constructor(private readonly db: Database) {}

  /** Whether a code or refresh token was ever issued. Read in batches, so that wrong ones cost no transaction. */
  async exists(token: ParsedToken): Promise<boolean> {
    return (await this.lookups.find(token)) !== null;
  }

  /** The lifetime never exceeds that of the session. */
  async insert(
    tenantId: string,
    token: { hash: Buffer; kind: SessionTokenKind; seconds: number } & SessionTokenRow,
    db: SqlRunner = this.db,
  ): Promise<void> {
    await db.query(
      `insert into session_tokens (tenant_id, hash, session_id, kind, audience, code_challenge, expires_at)
       select s.tenant_id, $2, s.id, $4, $5, $6, least(s.expires_at, now() + make_interval(secs => $7))
       from sessions s where s.tenant_id = $1 and s.id = $3`,
      [tenantId, token.hash, token.session_id, token.kind, token.audience, token.code_challenge, token.seconds],
    );
  }

  /**
   * Uses up a token and writes the next one. Of concurrent uses one succeeds. A second use shows that the token was stolen:
   * then all tokens of the session for the application end (RFC 9700 §4.14.2, RFC 6749 §4.1.2), signed ones included
   * (`isInTwoHands`).
   */
  exchange(
    tenantId: string,
    hash: Buffer,
    kind: SessionTokenKind,
    next: { hash: Buffer; seconds: number },
  ): Promise<SessionTokenRow | null> {
    return this.db.transaction(tenantId, async (tx) => {
      // Exchanges of one session run one after another: a token that a thief has renewed before is visible below, and a later
      // renewal finds nothing.
      await tx.query(
        `select 1 from sessions where tenant_id = $1
           and id = (select session_id from session_tokens where tenant_id = $1 and hash = $2) for no key update`,
        [tenantId, hash],
      );
      const { rows } = await tx.query<SessionTokenRow>(
        `update session_tokens set used_at = now()
         where tenant_id = $1 and hash = $2 and kind = $3 and used_at is null and expires_at > now()
         returning session_id, audience, code_challenge`,
        [tenantId, hash, kind],
      );
      const row = rows[0];
      if (row === undefined) {
        await tx.query(
          `with reused as (
             update session_tokens set reused_at = coalesce(reused_at, now())
             where tenant_id = $1 and hash = $2 and kind = $3 and used_at is not null
             returning tenant_id, session_id, audience)
           delete from session_tokens t using reused u
           where t.tenant_id = u.tenant_id and t.session_id = u.session_id and t.audience = u.audience and t.used_at is null`,
          [tenantId, hash, kind],
        );
        return null;
      }
      const { session_id, audience } = row;
      const token = { ...next, kind: 'refresh' as const, session_id, audience, code_challenge: null };
      await this.insert(tenantId, token, tx);
      return row;
    });
  }

  private async readMany(tokens: readonly ParsedToken[]): Promise<Map<string, true>> {
    const { rows } = await this.db.query<{ tenant_id: string; hash: Buffer }>(
      `select x.tenant_id, x.hash from unnest($1::text[], $2::bytea[]) x (tenant_id, hash)
         cross join lateral (select 1 from session_tokens t where t.tenant_id = x.tenant_id and t.hash = x.hash limit 1) t`,
      [tokens.map(({ tenantId }) => tenantId), tokens.map(({ hash }) => hash)],
    );
    return new Map(rows.map((row) => [nameOfToken(row.tenant_id, row.hash), true]));
  }

  async isInTwoHands(tenantId: string, sessionId: string, audience: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `select 1 from session_tokens where tenant_id = $1 and session_id = $2 and audience = $3
         and reused_at is not null limit 1`,
      [tenantId, sessionId, audience],
    );
    return rowCount === 1;
  }
}
