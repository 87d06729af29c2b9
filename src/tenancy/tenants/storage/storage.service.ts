import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { AuditService, type AuditBy } from '../audit/audit.service.js';
import type { StorageClass } from './counted-tables.js';
import type { StorageBody } from './storage.dto.js';
import { StorageRepository, type StorageRow } from './storage.repository.js';
import { TenantStorage } from './tenant-storage.js';

/** Shows what tenants store, and sets their limits. */
@Injectable()
export class StorageService {
  constructor(
    private readonly db: Database,
    private readonly repository: StorageRepository,
    private readonly storage: TenantStorage,
    private readonly audit: AuditService,
  ) {}

  /** Returns what a tenant stores. What this process has not yet added to the counter is in the answer. */
  async show(tenantId: string): Promise<StorageBody> {
    await this.storage.flush();
    const row = await this.repository.find(tenantId);
    return bodyOf(row ?? (await this.db.transaction(tenantId, (tx) => this.repository.locked(tx, tenantId))));
  }

  /**
   * Sets the limit of a tenant, and the state that follows from it.
   *
   * @param limit in bytes; null: the limit of the installation holds
   */
  async setLimit(by: AuditBy, limit: number | null): Promise<StorageBody> {
    const { tenantId } = by;
    const row = await this.db.transaction(tenantId, async (tx) => {
      const { ownLimit } = await this.repository.locked(tx, tenantId);
      await this.repository.setLimit(tx, tenantId, limit);
      await this.audit.record(tx, {
        ...by,
        action: 'storage_limit.changed',
        targetType: 'tenant',
        targetId: tenantId,
        before: { limit_bytes: ownLimit },
        after: { limit_bytes: limit },
      });
      return this.storage.settle(tx, tenantId);
    });
    await this.storage.look();
    return bodyOf(row);
  }
}

function bodyOf(row: StorageRow): StorageBody {
  const classes = Object.entries(row.classes) as [StorageClass, number][];
  return {
    limit_bytes: row.limit,
    is_own_limit: row.ownLimit !== null,
    used_bytes: Math.round(row.used),
    state: row.state,
    measured_at: row.measuredAt,
    classes: classes.map(([name, bytes]) => ({ class: name, bytes })).sort((a, b) => b.bytes - a.bytes),
  };
}
