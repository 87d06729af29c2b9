import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { DestinationStatesRepository } from '../../engine/delivery/destinations/destination-states.repository.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { MakerEnding } from '../../tenancy/tenants/tenants.events.js';
import { BY_HAND } from './endpoint-state.rules.js';
import type { Endpoint } from './endpoint.js';
import { EndpointStore } from './endpoint.store.js';
import { endpointKeyOf } from './webhooks.service.js';

const REASON = 'The key or user that made the endpoint has ended.';

/**
 * Names the endpoints that were made by a key or a user that ends. Endpoints continue, since other systems depend on them, unless
 * they are to be paused.
 */
@Injectable()
export class LeftEndpoints {
  constructor(
    private readonly store: EndpointStore,
    private readonly states: DestinationStatesRepository,
    private readonly audit: AuditService,
    events: DomainEvents,
  ) {
    events.on(MakerEnding, (ending) => this.name(ending));
  }

  private async name({ tx, by, maker, pause, endpoints }: MakerEnding): Promise<void> {
    const all = await this.store.fresh(by.tenantId, tx);
    if (all.length === 0) return;
    const keys = 'keyId' in maker ? [maker.keyId] : await keysOf(tx, by.tenantId, maker.userId);
    const isLeft = ({ keyId, createdBy }: Endpoint) =>
      (keyId !== null && keys.includes(keyId)) ||
      ('userId' in maker && createdBy.kind === 'user' && createdBy.id === maker.userId);
    for (const endpoint of all.filter(isLeft)) {
      const { id, description, url } = endpoint;
      if (pause && (await this.states.pause(tx, endpointKeyOf(endpoint), BY_HAND, REASON))) {
        const line = { action: 'webhook.paused', targetType: 'webhook', targetId: id, after: { reason: REASON } };
        await this.audit.record(tx, { tenantId: by.tenantId, actor: by.actor, requestId: by.requestId, ...line });
      }
      endpoints.push({ id, description, host: new URL(url).host, paused: pause });
    }
  }
}

async function keysOf(tx: SqlRunner, tenantId: string, userId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `select id from api_keys where tenant_id = $1 and owner_user_id = $2`,
    [tenantId, userId],
  );
  return rows.map(({ id }) => id);
}
