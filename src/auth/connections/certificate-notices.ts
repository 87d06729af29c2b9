import { Injectable } from '@nestjs/common';
import { Logger } from '../../base/log/logger.js';
import type { SqlRunner } from '../../base/database/database.js';
import { EventsRepository } from '../../engine/events/events.service.js';
import { expiryNotes } from './certificates.rules.js';
import type { ConnectionRow } from './connections.repository.js';

/** Records as events which pinned certificates will expire, and which metadata waits for an administrator. */
@Injectable()
export class CertificateNotices {
  constructor(
    private readonly events: EventsRepository,
    private readonly logger: Logger,
  ) {}

  /**
   * Records the marks passed since the last look at a connection.
   *
   * @param row the connection before this look
   */
  async record(row: ConnectionRow, now: Date): Promise<void> {
    if (row.type !== 'saml') return;
    for (const { fingerprint, not_after, days } of expiryNotes(
      row.settings.certificates,
      row.metadata_checked_at,
      now,
    )) {
      const data = { connection_id: row.id, fingerprint, not_after: not_after.toISOString(), days };
      this.logger.warn(days === 0 ? 'connection.certificate_expired' : 'connection.certificate_expiring', {
        tenant_id: row.tenant_id,
        ...data,
      });
      const threshold = `${row.id} ${fingerprint} ${days}`;
      await this.events.record(row.tenant_id, [{ event: 'connection.certificate_expiring', data, threshold }]);
    }
  }

  /** Records that metadata waits for an administrator: once for each reason, and again after another look was fine. */
  async metadataWaits(tx: SqlRunner, row: ConnectionRow, problem: string): Promise<void> {
    if (row.metadata_problem === problem) return;
    const data = { connection_id: row.id, problem };
    await this.events.record(row.tenant_id, [{ event: 'connection.metadata_waiting', data }], tx);
  }
}
