import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { CredentialUses, type UsedCredential } from './credential-uses.js';

type RefusedKey = UsedCredential & { address: string | null };

/** The last request of each API key that came from a network which the key does not admit. */
@Injectable()
export class ApiKeyRefusals extends CredentialUses<RefusedKey> {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override async write(refused: readonly (RefusedKey & { at: Date })[]): Promise<void> {
    await this.db.query(
      `update api_keys k set last_refusal = r.refusal from unnest($1::text[], $2::text[], $3::jsonb[]) r (tenant_id, id, refusal)
       where k.tenant_id = r.tenant_id and k.id = r.id`,
      [
        refused.map(({ tenantId }) => tenantId),
        refused.map(({ id }) => id),
        refused.map(({ at, address }) => JSON.stringify({ at, reason: 'outside_allow_from', address })),
      ],
    );
  }
}
