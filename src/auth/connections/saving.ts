import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import { canonicalJson } from '../../base/crypto/chain.js';
import type { SqlRunner } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { BindingsRepository } from '../../tenancy/sessions/bindings.repository.js';
import { SessionEndings } from '../../tenancy/sessions/session-endings.repository.js';
import { type AuditBy, AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { AuthAddresses } from './addresses.js';
import type { StoredSamlSettings } from './connection.js';
import { DomainsRepository } from './domains/domains.repository.js';
import type { ConnectionDraft } from './draft.rules.js';
import { EntityIdTaken, SlugTaken } from './errors.js';
import { entityIdKey, isOwnAddress, slugFrom } from './names.rules.js';
import { ConnectionsRepository, type ConnectionRow } from './repository.js';
import { bindingEnd, needsNewTest } from './saving.rules.js';
import { connectionShape } from './shape.mapping.js';

function substance(row: ConnectionRow): unknown {
  const { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed } = row;
  return { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed };
}

/**
 * Writes changes of connections with their consequences, in one transaction.
 *
 * Takes the names that are unique over all tenants: slugs and our entity ids. All SAML connections sign with the same key, so
 * the entity id decides for which tenant a request speaks. A name stays with its first tenant, because the IdP of a deleted
 * connection still trusts it.
 */
@Injectable()
export class ConnectionSaving {
  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionEndings,
    private readonly audit: AuditService,
    private readonly addresses: AuthAddresses,
    private readonly domains: DomainsRepository,
    private readonly config: Config,
  ) {}

  /**
   * Writes `after` over `before`, which is locked. Another IdP or pairing ends all bindings and sessions; disabling ends the
   * sessions.
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

  private async demandAnotherConnection(
    tx: SqlRunner,
    { tenant_id: tenantId, id, enabled }: ConnectionRow,
  ): Promise<void> {
    if (enabled) await this.domains.demandAnother(tx, tenantId, id);
  }

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

  /**
   * Takes the slug of a new connection, or makes one from its name. A concurrent request for the same slug waits.
   *
   * @throws {SlugTaken} when another connection has it, or a deleted one of another tenant had it
   */
  async takeSlug(
    tx: SqlRunner,
    connection: { tenantId: string; id: string },
    input: { name: string; slug?: string },
  ): Promise<string> {
    if (input.slug !== undefined) {
      if (await insertSlug(tx, connection, input.slug)) return input.slug;
      throw new SlugTaken();
    }
    for (;;) {
      const slug = slugFrom(input.name, randomBytes(8));
      if (await insertSlug(tx, connection, slug)) return slug;
    }
  }

  /**
   * Checks changed entity ids of a SAML connection, and takes ours for the tenant.
   *
   * @param connection its `slug` gives the default entity id, which is always permitted
   * @param before null for a new connection
   * @throws {InvalidFields} when an entity id is an address of this service other than the connection's own default
   * @throws {EntityIdTaken} when another tenant uses it or has used it
   */
  async takeEntityId(
    tx: SqlRunner,
    connection: { tenantId: string; slug: string },
    before: StoredSamlSettings | null,
    after: ConnectionDraft,
  ): Promise<void> {
    if (after.type !== 'saml') return;
    const { sp_entity_id: entityId, idp_entity_id: idp } = after.settings;
    if (idp !== before?.idp_entity_id && this.isOwn(idp)) throw ownAddress('idp_entity_id', 'must be that of the IdP');
    if (entityId === null || entityId === before?.sp_entity_id) return;
    const usual = this.addresses.metadata(connection.slug);
    if (entityId === usual) return;
    if (this.isOwn(entityId))
      throw ownAddress('sp_entity_id', `must be null or ${usual}, or no address of this service`);
    if (!(await insertEntityId(tx, connection.tenantId, entityIdKey(entityId)))) throw new EntityIdTaken();
  }

  private isOwn(entityId: string): boolean {
    const { baseUrl, apiBaseUrl, appUrl } = this.config;
    return isOwnAddress(entityId, [baseUrl, apiBaseUrl, appUrl]);
  }
}

function ownAddress(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}

async function insertSlug(
  tx: SqlRunner,
  { tenantId, id }: { tenantId: string; id: string },
  slug: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into connection_slugs as s (tenant_id, slug, connection_id) values ($1, $2, $3)
     on conflict (slug) do update set connection_id = excluded.connection_id
     where s.tenant_id = $1 and s.connection_id is null`,
    [tenantId, slug, id],
  );
  return rowCount === 1;
}

/** @returns false when another tenant has the entity id; a concurrent insert of it waits */
async function insertEntityId(tx: SqlRunner, tenantId: string, key: string): Promise<boolean> {
  await tx.query(`insert into saml_entity_ids (tenant_id, entity_id) values ($1, $2) on conflict do nothing`, [
    tenantId,
    key,
  ]);
  const { rowCount } = await tx.query(`select 1 from saml_entity_ids where tenant_id = $1 and entity_id = $2`, [
    tenantId,
    key,
  ]);
  return rowCount === 1;
}
