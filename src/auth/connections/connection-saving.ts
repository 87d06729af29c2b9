import { Injectable } from '@nestjs/common';
import { canonicalJson } from '../../base/crypto/chain.js';
import type { SqlRunner } from '../../base/database/database.js';
import { type AuditBy, AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { BindingsRepository } from '../../tenancy/sessions/bindings.repository.js';
import { SessionEndings } from '../../tenancy/sessions/session-endings.repository.js';
import { AuthAddresses } from './addresses.js';
import { SsoRequirement } from './sso-requirement/sso-requirement.js';
import { bindingEnd } from './binding-end.rules.js';
import { connectionShape } from './connection-shape.mapping.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { needsNewTest } from './test-validity.rules.js';

/** Writes changes of connections with their consequences, in one transaction. */
@Injectable()
export class ConnectionSaving {
  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionEndings,
    private readonly audit: AuditService,
    private readonly addresses: AuthAddresses,
    private readonly ssoRequirement: SsoRequirement,
  ) {}

  /**
   * Writes `after` over `before`, which is locked. Another IdP or pairing ends all bindings and sessions; disabling
   * ends the sessions.
   *
   * @returns the written row; `before` when nothing has changed
   * @throws {UntestedConnection} when disabling it would leave only untested connections
   */
  async save(tx: SqlRunner, by: AuditBy, before: ConnectionRow, after: ConnectionRow): Promise<ConnectionRow> {
    const { tenant_id: tenantId, id } = before;
    if (canonicalJson(substance(before)) === canonicalJson(substance(after))) return before;
    if (before.enabled && !after.enabled) await this.demandAnotherConnection(tx, before);
    await this.repository.update(tx, after, needsNewTest(before, after));
    const why = bindingEnd(before, after);
    if (why !== null) {
      await this.bindings.endOfConnection(tx, tenantId, id, why);
      await this.sessions.ofConnection(tx, tenantId, id, 'connection_changed');
    } else if (before.enabled && !after.enabled) {
      await this.sessions.ofConnection(tx, tenantId, id, 'connection_disabled');
    }
    const written = (await this.repository.find(tenantId, id, tx))!;
    const changed = {
      ...(why === null ? {} : { bindings_ended: why }),
      ...(before.client_secret_sealed === after.client_secret_sealed ? {} : { client_secret: 'changed' }),
      ...(before.private_key_sealed === after.private_key_sealed ? {} : { private_key: 'changed' }),
    };
    await this.note(tx, by, 'connection.changed', before, written, changed);
    return written;
  }

  /**
   * Demands that a connection may be disabled or deleted.
   *
   * @throws {UntestedConnection} when only untested connections would be left
   */
  async demandAnotherConnection(tx: SqlRunner, { tenant_id: tenantId, id, enabled }: ConnectionRow): Promise<void> {
    if (enabled) await this.ssoRequirement.demandAnother(tx, tenantId, id);
  }

  /** Marks a connection as deleted, and ends its bindings and sessions. */
  async remove(tx: SqlRunner, by: AuditBy, row: ConnectionRow): Promise<void> {
    const { tenant_id: tenantId, id } = row;
    await this.demandAnotherConnection(tx, row);
    await this.repository.markDeleted(tx, tenantId, id);
    await this.bindings.endOfConnection(tx, tenantId, id, 'connection_deleted');
    await this.sessions.ofConnection(tx, tenantId, id, 'connection_deleted');
    await this.note(tx, by, 'connection.deleted', row, null);
  }

  note(
    tx: SqlRunner,
    by: AuditBy,
    action: string,
    before: ConnectionRow | null,
    after: ConnectionRow | null,
    changed: Record<string, string> = {},
  ): Promise<void> {
    const shown = (row: ConnectionRow | null) => (row === null ? undefined : connectionShape(row, this.addresses));
    const line = { ...by, action, targetType: 'connection', targetId: (before ?? after)!.id };
    return this.audit.record(tx, {
      ...line,
      before: shown(before),
      after: after === null ? undefined : { ...shown(after), ...changed },
    });
  }
}

/** The fields whose change counts as an update. */
function substance(row: ConnectionRow): unknown {
  const { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed } = row;
  return { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed };
}
