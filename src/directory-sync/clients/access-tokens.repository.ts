import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';

/**
 * The most access tokens of a client. A client that gets one for each of 25 requests a second keeps each for 40 seconds; with
 * a refusal in place of the oldest token it would stand still for the rest of an hour.
 */
const MOST_TOKENS = 1_000;

/** Statements on the table of access tokens. */
@Injectable()
export class AccessTokensRepository {
  constructor(private readonly db: Database) {}

  /** Adds a token. The oldest tokens of the client end where it has {@link MOST_TOKENS} others. */
  async insert(token: {
    tenantId: string;
    id: string;
    clientId: string;
    directoryId: string;
    secretId: string | null;
    hash: Buffer;
    expiresAt: Date;
  }): Promise<void> {
    await this.db.query(
      `with surplus as (
         delete from access_tokens where tenant_id = $1 and client_id = $3 and id <= (
           select t.id from access_tokens t where t.tenant_id = $1 and t.client_id = $3
           order by t.id desc offset ${MOST_TOKENS - 1} limit 1))
       insert into access_tokens (tenant_id, id, client_id, directory_id, secret_id, hash, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [token.tenantId, token.id, token.clientId, token.directoryId, token.secretId, token.hash, token.expiresAt],
    );
  }
}

/** Rows of clients that end automatically. An ended client or secret stays visible for a month; the audit log has it for longer. */
export const CLIENT_LEFTOVERS = [
  // A day longer than they are valid: the refusal of an old token has its reason.
  `delete from access_tokens where expires_at < now() - interval '1 day'`,
  `delete from client_secrets s where least(s.expires_at, s.revoked_at, (select c.revoked_at from directory_clients c
     where c.tenant_id = s.tenant_id and c.id = s.client_id)) < now() - interval '30 days'`,
  `delete from directory_clients c where c.revoked_at < now() - interval '31 days'
     and not exists (select 1 from client_secrets s where s.tenant_id = c.tenant_id and s.client_id = c.id)
     and not exists (select 1 from access_tokens t where t.tenant_id = c.tenant_id and t.client_id = c.id)`,
] as const;
