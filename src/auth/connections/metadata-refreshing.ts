import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { Database } from '../../base/database/database.js';
import { CertificateNotices } from './certificate-notices.js';
import { ConnectionSaving } from './connection-saving.js';
import type { AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import { ConnectionStore } from './connection.store.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { idpFromMetadata, needsConfirmation } from './metadata-refresh.rules.js';
import { MetadataSource } from './metadata-source.js';

/** The result of a refresh. `row` is the connection afterwards. */
export type Refreshed =
  | { kind: 'done'; row: ConnectionRow; changed: boolean }
  | { kind: 'unconfirmed'; problem: string }
  | { kind: 'failed'; problem: string }
  | { kind: 'gone' };

/** Reads the metadata of a connection again and takes over what needs no confirmation. */
@Injectable()
export class MetadataRefreshing {
  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly saving: ConnectionSaving,
    private readonly source: MetadataSource,
    private readonly notices: CertificateNotices,
    private readonly store: ConnectionStore,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Refreshes a connection. What needs confirmation and what fails changes nothing and is kept as `metadata_problem`.
   * `gone`: the connection was changed or deleted meanwhile.
   *
   * @param known the connection that was read
   * @param confirmed whether an administrator accepts any change
   */
  async refresh(by: AuditBy, known: ConnectionRow, address: string, confirmed: boolean): Promise<Refreshed> {
    if (known.type !== 'saml') return { kind: 'gone' };
    const { idp_entity_id: entityId, metadata_certificates } = known.settings;
    const owner = { tenantId: known.tenant_id, id: known.id };
    const wanted = { entityId, signers: metadata_certificates.map(({ pem }) => pem), owner };
    let read = await this.source.fetch(address, wanted);
    // It may describe one other IdP now, which an administrator has to confirm.
    if ('problem' in read && read.xml !== undefined) {
      const other = await this.source.read(read.xml, { ...wanted, entityId: null });
      if ('metadata' in other) read = other;
    }
    const result = await this.db.transaction(known.tenant_id, async (tx): Promise<Refreshed> => {
      const row = await this.repository.find(known.tenant_id, known.id, tx, true);
      if (row?.type !== 'saml' || row.version !== known.version) return { kind: 'gone' };
      const now = this.clock.now();
      await this.notices.record(known, now);
      const allowance = { allowPrivate: this.config.allowPrivateDestinations };
      const found = 'problem' in read ? read : idpFromMetadata(read.metadata, row.settings, now, allowance);
      if ('problem' in found) {
        await this.repository.noteLook(tx, row, now, found.problem);
        return { kind: 'failed', problem: found.problem };
      }
      const doubt = needsConfirmation(row.settings, found.idp);
      if (doubt !== null && !confirmed) {
        await this.repository.noteLook(tx, row, now, doubt);
        await this.notices.metadataWaits(tx, row, doubt);
        return { kind: 'unconfirmed', problem: doubt };
      }
      await this.repository.noteLook(tx, row, now, null);
      const looked = { ...row, metadata_checked_at: now, metadata_problem: null };
      const after = await this.saving.save(tx, by, looked, { ...looked, settings: { ...row.settings, ...found.idp } });
      return { kind: 'done', row: after, changed: after.version !== row.version };
    });
    await this.store.forget();
    return result;
  }
}
