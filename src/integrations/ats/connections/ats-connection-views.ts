import { Injectable } from '@nestjs/common';
import { NotFound } from '../../../base/errors/domain-error.js';
import { connectorOf } from '../providers/providers.js';
import { AtsAddresses } from './ats-addresses.js';
import type { AtsConnectionBody } from './ats-connection-bodies.dto.js';
import { atsConnectionBody } from './ats-connection.mapping.js';
import { AtsProgressRepository } from './ats-progress.repository.js';
import { AtsConnectionsRepository } from './ats-connections.repository.js';
import type { AtsConnectionRow } from './ats-connections.store.js';
import { AtsSecrets } from './ats-secrets.js';

/** Connections as the API shows them. */
@Injectable()
export class AtsConnectionViews {
  constructor(
    private readonly repository: AtsConnectionsRepository,
    private readonly secrets: AtsSecrets,
    private readonly addresses: AtsAddresses,
    private readonly progress: AtsProgressRepository,
  ) {}

  /**
   * Returns one connection.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  async one(tenantId: string, id: string): Promise<AtsConnectionBody> {
    const row = await this.repository.row(tenantId, id);
    if (row === undefined) throw new NotFound('ATS connection');
    return (await this.bodiesOf(tenantId, [row]))[0]!;
  }

  /** Returns all connections, oldest first. There are at most twenty. */
  async all(tenantId: string): Promise<AtsConnectionBody[]> {
    return this.bodiesOf(tenantId, await this.repository.rows(tenantId));
  }

  private async bodiesOf(tenantId: string, rows: readonly AtsConnectionRow[]): Promise<AtsConnectionBody[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [facts, known] = await Promise.all([this.repository.factsOf(tenantId, ids), this.progress.of(tenantId, ids)]);
    return rows.flatMap((row) => {
      const [connector, fact, progress] = [connectorOf(row.provider), facts.get(row.id), known.get(row.id)];
      if (connector === undefined || fact === undefined || progress === undefined) return [];
      const credential = this.secrets.openCredential(tenantId, row.id, row.credential_sealed)?.kind ?? null;
      return [
        atsConnectionBody(row, connector, {
          facts: fact,
          progress,
          inbound: this.addresses.inbound(row.provider),
          credential,
        }),
      ];
    });
  }
}
