import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { SqlRunner } from '../../base/database/database.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { AuthAddresses } from './addresses.js';
import type { ConnectionDraft } from './connection-draft.rules.js';
import type { StoredSamlSettings } from './connection.settings.js';
import { EntityIdTaken, SlugTaken } from './connections.errors.js';
import { entityIdKey, isOwnAddress } from './entity-id.rules.js';
import { slugFrom } from './slug.rules.js';

/**
 * Names that are unique over all tenants: slugs and the entity ids of our service providers. All SAML connections sign
 * with the same key, so the entity id decides for which tenant a request speaks. A name stays with its first tenant,
 * because the IdP of a deleted connection still trusts it.
 */
@Injectable()
export class ConnectionNames {
  constructor(
    private readonly config: Config,
    private readonly addresses: AuthAddresses,
  ) {}

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

/** Inserts an entity id; false when it is another tenant's. A concurrent insert of it waits. */
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
