import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Logger } from '../../base/log/logger.js';
import { Background } from '../../base/loop.js';
import { systemActor } from '../../tenancy/identity/source.js';
import { CertificateNotices } from './certificate-notices.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

const EVERY_MS = 10 * 60_000;
/** The bounds of the interval that the metadata asks for (`cacheDuration`). */
const SECONDS = { least: 3_600, most: 86_400 };

/**
 * Reads the metadata of SAML connections again, daily or as often as it demands, and logs certificates near their end.
 * What an administrator has to decide is kept in the connection.
 */
@Injectable()
export class MetadataRefresh extends Background {
  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly refreshing: MetadataRefreshing,
    private readonly notices: CertificateNotices,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    super(EVERY_MS, 'refreshing metadata', logger);
  }

  /** Handles one connection that is due; true: there may be another. */
  override async run(): Promise<boolean> {
    const now = this.clock.now();
    const row = await this.repository.takeDue(now, SECONDS);
    if (row?.type !== 'saml') return false;
    const { metadata_url: address } = row.settings;
    if (address === null) await this.notices.record(row, now);
    else await this.refresh(row, address);
    return true;
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
