import { Injectable } from '@nestjs/common';
import { Logger } from '../base/log/logger.js';
import { expiryNotes } from './certificates.rules.js';
import type { ConnectionRow } from './connections.repository.js';

/** Logs which pinned certificates will expire. */
@Injectable()
export class CertificateNotices {
  constructor(private readonly logger: Logger) {}

  /**
   * Logs the marks passed since the last look at a connection.
   *
   * @param row the connection before this look
   */
  say(row: ConnectionRow, now: Date): void {
    if (row.type !== 'saml') return;
    for (const { fingerprint, not_after, days } of expiryNotes(
      row.settings.certificates,
      row.metadata_checked_at,
      now,
    )) {
      this.logger.warn(days === 0 ? 'connection.certificate_expired' : 'connection.certificate_expiring', {
        tenant_id: row.tenant_id,
        connection_id: row.id,
        fingerprint,
        not_after: not_after.toISOString(),
        days,
      });
    }
  }
}
