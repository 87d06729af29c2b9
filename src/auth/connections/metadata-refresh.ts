import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../base/work/work.js';
import { systemActor } from '../../tenancy/identity/person.js';
import { CertificateNotices } from './certificate-notices.js';
import { ConnectionsRepository, DUE_METADATA, type ConnectionRow } from './connections.repository.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

/**
 * Reads the metadata of SAML connections again, daily or as often as it demands, and logs certificates near their end.
 * What an administrator has to decide is kept in the connection.
 */
@Injectable()
export class MetadataRefresh extends WorkKind {
  override readonly kind = 'connections.metadata';
  override readonly everyMs = 10 * 60_000;
  override readonly callsOut = true;

  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly refreshing: MetadataRefreshing,
    private readonly notices: CertificateNotices,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super();
  }

  override due(): string {
    return DUE_METADATA;
  }

  /** Handles one connection. */
  override async run({ tenantId, id }: Turn): Promise<TurnOutcome> {
    const now = this.clock.now();
    const row = await this.repository.findDue(tenantId, id, now);
    if (row?.type !== 'saml') return DONE;
    const { metadata_url: address } = row.settings;
    if (address !== null) {
      await this.refresh(row, address);
      return DONE;
    }
    await this.notices.record(row, now);
    await this.repository.noteLook(this.db, row, now, row.metadata_problem);
    return DONE;
  }

  private async refresh(row: ConnectionRow, address: string): Promise<void> {
    const by = { tenantId: row.tenant_id, actor: systemActor('metadata refresh'), requestId: null };
    const result = await this.refreshing.refresh(by, row, address, false);
    const fields = { tenant_id: row.tenant_id, connection_id: row.id };
    if (result.kind === 'failed' || result.kind === 'unconfirmed') {
      this.logger.warn(`connection.metadata_${result.kind}`, { ...fields, detail: result.problem });
    } else if (result.kind === 'done' && result.changed) {
      this.logger.info('connection.metadata_changed', fields);
    }
  }
}
