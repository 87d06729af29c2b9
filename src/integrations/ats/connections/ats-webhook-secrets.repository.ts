import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { TOKEN_RULE } from './ats-connections.dto.js';
import { hashOfAtsToken, AtsConnectionStore } from './ats-connections.store.js';
import { TooManyTokens } from './ats.errors.js';
import type { AtsConnection } from './connection.js';

const LIVE_TOKENS = 2;

@Injectable()
export class AtsWebhookSecretsRepository {
  constructor(
    private readonly db: Database,
    private readonly store: AtsConnectionStore,
  ) {}

  /**
   * Adds a token of the webhook address. The connection is locked.
   *
   * @throws {TooManyTokens} when two live ones were not made for our webhooks
   * @throws {InvalidFields} when another connection to this provider has it: the same answer as for a weak token
   */
  async addToken(
    tx: SqlRunner,
    { tenantId, id, provider }: Pick<AtsConnection, 'tenantId' | 'id' | 'provider'>,
    token: { id: string; text: string; made: boolean },
  ): Promise<void> {
    const { rows } = await tx.query<{ n: number }>(
      `select count(*)::int as n from ats_tokens where tenant_id = $1 and connection_id = $2 and not made`,
      [tenantId, id],
    );
    if (!token.made && rows[0]!.n >= LIVE_TOKENS) throw new TooManyTokens();
    const { rowCount } = await tx.query(
      `insert into ats_token_hashes (tenant_id, connection_id, token_id, provider, hash) values ($1, $2, $3, $4, $5)
       on conflict (provider, hash) do nothing`,
      [tenantId, id, token.id, provider, hashOfAtsToken(token.text)],
    );
    if (rowCount === 0) throw new InvalidFields([{ field: 'api_token', message: TOKEN_RULE }]);
    await tx.query(`insert into ats_tokens (tenant_id, connection_id, id, hint, made) values ($1, $2, $3, $4, $5)`, [
      tenantId,
      id,
      token.id,
      token.text.slice(0, 4),
      token.made,
    ]);
  }

  async removeToken(tx: SqlRunner, tenantId: string, id: string, tokenId: string): Promise<boolean> {
    const key = [tenantId, id, tokenId];
    await tx.query(`delete from ats_token_hashes where tenant_id = $1 and connection_id = $2 and token_id = $3`, key);
    const { rowCount } = await tx.query(
      `delete from ats_tokens where tenant_id = $1 and connection_id = $2 and id = $3`,
      key,
    );
    return rowCount === 1;
  }

  /** Adds a signing secret of a webhook at the ATS, or one set by hand, which replaces the former one set by hand. */
  async addSigningSecret(
    tx: SqlRunner,
    tenantId: string,
    connectionId: string,
    secret: { id: string; text: string; made: { remoteId: string; event: string } | null },
  ): Promise<void> {
    const { id, text, made } = secret;
    if (made === null) await this.removeHandMadeSecrets(tx, tenantId, connectionId);
    await tx.query(
      `insert into ats_signing_secrets (tenant_id, connection_id, id, sealed, remote_id, event)
       values ($1, $2, $3, $4, $5, $6)`,
      [
        tenantId,
        connectionId,
        id,
        this.store.sealSigningSecret(tenantId, connectionId, text),
        made?.remoteId ?? null,
        made?.event ?? null,
      ],
    );
  }

  async madeWebhooks(
    tenantId: string,
    connectionId: string,
  ): Promise<{ id: string; remote_id: string; event: string }[]> {
    const { rows } = await this.db.query<{ id: string; remote_id: string; event: string }>(
      `select id, remote_id, event from ats_signing_secrets
       where tenant_id = $1 and connection_id = $2 and remote_id is not null order by id`,
      [tenantId, connectionId],
    );
    return rows;
  }

  async removeSigningSecret(tx: SqlRunner, tenantId: string, connectionId: string, id: string): Promise<void> {
    await tx.query(`delete from ats_signing_secrets where tenant_id = $1 and connection_id = $2 and id = $3`, [
      tenantId,
      connectionId,
      id,
    ]);
  }

  async removeMadeTokens(tx: SqlRunner, tenantId: string, connectionId: string): Promise<void> {
    await tx.query(
      `with made as (delete from ats_tokens where tenant_id = $1 and connection_id = $2 and made returning id)
       delete from ats_token_hashes where tenant_id = $1 and connection_id = $2 and token_id in (select id from made)`,
      [tenantId, connectionId],
    );
  }

  async removeHandMadeSecrets(tx: SqlRunner, tenantId: string, connectionId: string): Promise<void> {
    await tx.query(
      `delete from ats_signing_secrets where tenant_id = $1 and connection_id = $2 and remote_id is null`,
      [tenantId, connectionId],
    );
  }
}
