import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { canonicalJson } from '../../base/crypto/chain.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { InvalidFields, type FieldError, Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { CUT_ISSUER, issuerOf } from '../../protocols/oidc/discovery.rules.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { BindingsRepository } from '../../tenancy/sessions/bindings.repository.js';
import { SessionEndings } from '../../tenancy/sessions/session-endings.repository.js';
import { type AuditBy, AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { demandPlainName } from '../../tenancy/tenants/tenants.service.js';
import { AuthAddresses } from './addresses.js';
import type { ConnectionBody } from './bodies.dto.js';
import type { StoredSamlSettings, IdpSettings } from './connection.js';
import { DomainsRepository } from './domains/domains.repository.js';
import { DomainsStore } from './domains/domains.store.js';
import { type ConnectionDraft, connectionDraftOf, namedRoles, type Present } from './draft.rules.js';
import type { ConnectionFields, ChangeConnection, CreateConnection } from './dto.js';
import { EntityIdTaken, SlugTaken, TooManyConnections } from './errors.js';
import { MetadataSource } from './metadata.js';
import { entityIdKey, isOwnAddress, slugFrom } from './names.rules.js';
import { ConnectionsRepository, type ConnectionRow } from './repository.js';
import { bindingEnd, needsNewTest } from './saving.rules.js';
import { connectionShape } from './shape.mapping.js';
import { ConnectionStore, type PrivateJwk } from './store.js';

function substance(row: ConnectionRow): unknown {
  const { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed } = row;
  return { name, enabled, directory_id, settings, client_secret_sealed, private_key_sealed };
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

/** Results of network calls and slow work for a request, before anything is locked. */
interface PreparedDraft {
  /** The IdP by its metadata; null when the request names none. */
  imported: IdpSettings | null;
  key: PrivateJwk | null;
  at: Date;
}

interface DraftRequest {
  input: ConnectionFields & { type?: string };
  directoryId: string | null;
  prepared: PreparedDraft;
}

function presentOf(row: ConnectionRow): Present {
  if (row.type === 'saml') return { type: 'saml', settings: row.settings };
  const { client_secret_sealed: secret, private_key_sealed: key } = row;
  return {
    type: 'oidc',
    settings: row.settings,
    secrets: { clientSecret: secret !== null, privateKey: key !== null },
  };
}

// Written out twice for the compiler: type and settings belong together.
function typed(draft: ConnectionDraft) {
  return draft.type === 'oidc'
    ? { type: draft.type, settings: draft.settings }
    : { type: draft.type, settings: draft.settings };
}

const MAX_CONNECTIONS = 100;

/**
 * The administration of connections.
 *
 * Writes changes of connections with their consequences, in one transaction.
 *
 * Takes the names that are unique over all tenants: slugs and our entity ids. All SAML connections sign with the same key, so
 * the entity id decides for which tenant a request speaks. A name stays with its first tenant, because the IdP of a deleted
 * connection still trusts it.
 */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly store: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly addresses: AuthAddresses,
    private readonly metadata: MetadataSource,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly bindings: BindingsRepository,
    private readonly sessions: SessionEndings,
    private readonly audit: AuditService,
    private readonly requirements: DomainsRepository,
  ) {}

  async create(by: AuditBy, input: CreateConnection): Promise<ConnectionBody> {
    demandPlainName(input.name);
    const { tenantId } = by;
    const id = newId('con');
    const present: Present =
      input.type === 'oidc'
        ? { type: 'oidc', settings: null, secrets: { clientSecret: false, privateKey: false } }
        : { type: 'saml', settings: null };
    const prepared = await this.prepareDraft({ tenantId, id }, present, input);
    const made = await once(this.db, by, async (tx) => {
      const count = await this.repository.countForAnother(tx, tenantId);
      if (count >= MAX_CONNECTIONS) throw new TooManyConnections(MAX_CONNECTIONS);
      const directoryId = input.directory_id ?? null;
      const request = { input, directoryId, prepared };
      const { draft, columns } = await this.draftOf(tx, { tenantId, id }, present, null, request);
      const slug = await this.takeSlug(tx, { tenantId, id }, input);
      await this.takeEntityId(tx, { tenantId, slug }, null, draft);
      const head = { tenant_id: tenantId, id, slug, name: input.name, enabled: input.enabled ?? true };
      await this.repository.insert(tx, {
        ...head,
        directory_id: directoryId,
        ...columns,
        metadata_checked_at: prepared.imported === null ? null : prepared.at,
        metadata_problem: null,
      });
      const row = (await this.repository.find(tenantId, id, tx))!;
      await this.note(tx, by, 'connection.created', null, row);
      return row;
    });
    await this.store.forget();
    return { ...this.shape(made), ...issuerHint(input) };
  }

  list(tenantId: string, slug: string | null, page: PageRequest): Promise<CutRows<ConnectionRow>> {
    return this.repository.list(tenantId, slug, page);
  }

  async get(tenantId: string, id: string): Promise<ConnectionBody> {
    return this.shape(await this.demand(tenantId, id));
  }

  /** Another IdP, and another directory, ends all bindings and sessions. */
  async change(by: AuditBy, id: string, input: ChangeConnection): Promise<ConnectionBody> {
    const { tenantId } = by;
    const known = await this.demand(tenantId, id);
    if (input.name !== undefined) demandPlainName(input.name, known.name);
    const prepared = await this.prepareDraft({ tenantId, id }, presentOf(known), input);
    const after = await this.db.transaction(tenantId, async (tx) => {
      const row = await this.demand(tenantId, id, tx, true);
      const hasImported = prepared.imported !== null;
      if (hasImported && row.version !== known.version) throw changedMeanwhile();
      const directoryId = input.directory_id === undefined ? row.directory_id : input.directory_id;
      const request = { input, directoryId, prepared };
      const { draft, columns } = await this.draftOf(tx, { tenantId, id }, presentOf(row), row, request);
      const was = row.type === 'saml' ? row.settings : null;
      await this.takeEntityId(tx, { tenantId, slug: row.slug }, was, draft);
      const look = hasImported ? { metadata_checked_at: prepared.at, metadata_problem: null } : {};
      return this.saveConnection(tx, by, row, {
        ...row,
        ...look,
        name: input.name ?? row.name,
        enabled: input.enabled ?? row.enabled,
        directory_id: directoryId,
        ...columns,
      });
    });
    await this.store.forget();
    return { ...this.shape(after), ...issuerHint(input) };
  }

  async remove(by: AuditBy, id: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      await this.removeConnection(tx, by, await this.demand(by.tenantId, id, tx, true));
    });
    await this.store.forget();
    await this.domains.forget();
  }

  /** @throws {NotFound} when the tenant has no such connection */
  async demand(tenantId: string, id: string, tx?: SqlRunner, lock = false): Promise<ConnectionRow> {
    const row = await this.repository.find(tenantId, id, tx, lock);
    if (row === null) throw new NotFound('connection');
    return row;
  }

  shape(row: ConnectionRow): ConnectionBody {
    return connectionShape(row, this.addresses);
  }

  /**
   * Reads the metadata that a request names, and makes the key that it needs.
   *
   * @throws {InvalidFields} when the metadata or the key cannot be used
   */
  private async prepareDraft(
    connection: { tenantId: string; id: string },
    present: Present,
    input: ConnectionFields,
  ): Promise<PreparedDraft> {
    const at = this.clock.now();
    const imported =
      present.type === 'saml' ? await this.metadata.named(connection, present.settings, input, at) : null;
    return { imported, key: await this.store.keyFor(input, present.type), at };
  }

  private async draftOf(
    tx: SqlRunner,
    { tenantId, id }: { tenantId: string; id: string },
    present: Present,
    row: ConnectionRow | null,
    request: DraftRequest,
  ) {
    const draft = await this.draft(tx, tenantId, present, row, request);
    const columns = { ...typed(draft), ...this.store.sealedSecrets(tenantId, id, draft, row, request.prepared.key) };
    return { draft, columns };
  }

  private async draft(
    tx: SqlRunner,
    tenantId: string,
    present: Present,
    row: ConnectionRow | null,
    { input, directoryId, prepared: { imported, at } }: DraftRequest,
  ): Promise<ConnectionDraft> {
    const errors: FieldError[] = [];
    const allowance = { allowPrivate: this.config.allowPrivateDestinations };
    const given = { paired: directoryId !== null, imported, now: at };
    const draft = connectionDraftOf(present, input, given, allowance, errors);
    if (row !== null && input.type !== undefined && input.type !== row.type) {
      errors.push({ field: 'type', message: 'cannot be changed' });
    }
    if (row !== null && input.slug !== undefined && input.slug !== row.slug) {
      errors.push({ field: 'slug', message: 'cannot be changed: the IdP knows our addresses by it' });
    }
    if (input.directory_id != null && !(await this.repository.hasDirectory(tx, tenantId, input.directory_id))) {
      errors.push({ field: 'directory_id', message: 'must be a directory of this tenant' });
    }
    const named = namedRoles(input, draft.settings);
    const known = await this.repository.rolesOf(tx, tenantId, [...new Set(named.map(({ role }) => role))]);
    const unknown = named.filter(({ role }) => !known.has(role));
    for (const field of new Set(unknown.map((one) => one.field))) {
      errors.push({ field, message: 'must name roles of the catalogue' });
    }
    if (errors.length > 0) throw new InvalidFields(errors);
    return draft;
  }

  /**
   * Writes `after` over `before`, which is locked. Another IdP or pairing ends all bindings and sessions; disabling ends the
   * sessions.
   *
   * @returns the written row; `before` when nothing has changed
   * @throws {UntestedConnection} when disabling it would leave only untested connections
   */
  async saveConnection(
    tx: SqlRunner,
    by: AuditBy,
    before: ConnectionRow,
    after: ConnectionRow,
  ): Promise<ConnectionRow> {
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
    if (enabled) await this.requirements.demandAnother(tx, tenantId, id);
  }

  async removeConnection(tx: SqlRunner, by: AuditBy, row: ConnectionRow): Promise<void> {
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

function issuerHint({ issuer }: ConnectionFields): { hint?: string } {
  return issuer === undefined || issuerOf(issuer) === issuer ? {} : { hint: CUT_ISSUER };
}

export function changedMeanwhile(): Conflict {
  return new Conflict('changed_meanwhile', 'The connection was changed meanwhile; read it again.');
}
