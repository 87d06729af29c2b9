import { Injectable } from '@nestjs/common';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { OidcProtocol } from '../../protocols/oidc/oidc.protocol.js';
import type { AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import type { ConnectionBody, ConnectionCheckBody } from './connection-bodies.dto.js';
import { offeredLogout } from './connection-shape.mapping.js';
import { ConnectionStore } from './connection.store.js';
import { MetadataNeedsConfirmation, NotCheckable } from './connections.errors.js';
import { changedMeanwhile, ConnectionsService } from './connections.service.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

/** Asks the IdP of a connection because an administrator wants it. */
@Injectable()
export class ConnectionChecks {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly refreshing: MetadataRefreshing,
    private readonly store: ConnectionStore,
    private readonly oidc: OidcProtocol,
  ) {}

  /**
   * Reads the IdP's metadata again.
   *
   * @throws {MetadataNeedsConfirmation} for another IdP or none of the known keys, unless confirmed
   * @throws {InvalidFields} when it cannot be read or has expired
   */
  async refreshMetadata(by: AuditBy, id: string, confirmed: boolean): Promise<ConnectionBody> {
    const row = await this.connections.demand(by.tenantId, id);
    const address = row.type === 'saml' ? row.settings.metadata_url : null;
    if (address === null) throw invalid('metadata_url', 'is not set');
    const result = await this.refreshing.refresh(by, row, address, confirmed);
    if (result.kind === 'gone') throw changedMeanwhile();
    if (result.kind === 'unconfirmed') throw new MetadataNeedsConfirmation(result.problem);
    if (result.kind === 'failed') throw invalid('metadata_url', result.problem);
    return this.connections.shape(result.row);
  }

  /** Checks the IdP of an OIDC connection, past the caches and without a sign-in. */
  async check(tenantId: string, id: string): Promise<ConnectionCheckBody> {
    await this.connections.demand(tenantId, id);
    const connection = await this.store.byId(tenantId, id);
    if (connection === null) throw new NotFound('connection');
    if (connection.type !== 'oidc') throw new NotCheckable();
    const result = await this.oidc.check(connection);
    return result.ok
      ? { ok: true, problem: null, keys: result.keys, logout: offeredLogout(result.server) }
      : { ok: false, problem: result.problem, keys: null, logout: null };
  }
}

function invalid(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}
