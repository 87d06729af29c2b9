import { Injectable } from '@nestjs/common';
import { mintToken } from '../../../base/crypto/tokens.js';
import { Database } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import type { NewConnectLinkBody } from './connect-links.dto.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';

/** Makes and revokes connect links. */
@Injectable()
export class ConnectLinksService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConnectLinksRepository,
    private readonly clients: OAuthClients,
    private readonly addresses: AtsAddresses,
    private readonly audit: AuditService,
  ) {}

  /** @throws {Conflict} `no_oauth_client` where the operator has set no client at the provider */
  async make(caller: Caller, provider: string): Promise<NewConnectLinkBody> {
    const { tenantId, actor, requestId } = caller;
    if (this.clients.of(provider) === null) {
      throw new Conflict(
        'no_oauth_client',
        `The operator has set no OAuth client for ${provider} (ATS_OAUTH_CLIENTS).`,
      );
    }
    return once(this.db, caller, async (tx) => {
      const { token, hash } = mintToken('tbi', tenantId);
      const id = newId('alk');
      const made = await this.repository.insert(tx, tenantId, { id, hash, provider, createdBy: actor });
      const line = { action: 'ats_connect_link.created', targetType: 'ats_connect_link', targetId: id };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line, after: { provider } });
      return { ...made, url: this.addresses.connectLink(provider, token) };
    });
  }

  /** @throws {NotFound} when there is no such open link */
  async revoke({ tenantId, actor, requestId }: Caller, id: string): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.repository.revoke(tx, tenantId, id))) throw new NotFound('connect link');
      const line = { action: 'ats_connect_link.revoked', targetType: 'ats_connect_link', targetId: id };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line });
    });
  }
}
