import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { Conflict, InvalidFields, NotFound, type FieldError } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { AuthAddresses } from './addresses.js';
import { OidcProtocol } from '../../protocols/oidc/oidc.protocol.js';
import { DomainsStore } from './domains/domains.store.js';
import type { ConnectionBody, ConnectionCheckBody } from './connection-bodies.dto.js';
import { connectionDraftOf, namedRoles, type ConnectionDraft, type Present } from './connection-draft.rules.js';
import { ConnectionNames } from './connection-names.js';
import { ConnectionSaving } from './connection-saving.js';
import type { AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import { ConnectionSecrets } from './connection-secrets.js';
import { connectionShape, offeredLogout } from './connection-shape.mapping.js';
import type { IdpSettings } from './connection.settings.js';
import { ConnectionStore } from './connection.store.js';
import type { ChangeConnection, ConnectionFields, CreateConnection } from './connections.dto.js';
import { MetadataNeedsConfirmation, NotCheckable, TooManyConnections } from './connections.errors.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { MetadataImport } from './metadata-import.js';
import { MetadataRefreshing } from './metadata-refreshing.js';

const MAX_CONNECTIONS = 100;

/** The administration of connections. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly names: ConnectionNames,
    private readonly saving: ConnectionSaving,
    private readonly secrets: ConnectionSecrets,
    private readonly imports: MetadataImport,
    private readonly refreshing: MetadataRefreshing,
    private readonly store: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly oidc: OidcProtocol,
    private readonly addresses: AuthAddresses,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a connection.
   *
   * @throws {SlugTaken} when another connection has the slug, or a deleted one of another tenant had it
   * @throws {EntityIdTaken} when the entity id is another tenant's
   * @throws {TooManyConnections} when the tenant has 100
   */
  async create(by: AuditBy, input: CreateConnection): Promise<ConnectionBody> {
    const { tenantId } = by;
    const id = newId('con');
    const now = this.clock.now();
    const imported = input.type === 'saml' ? await this.imports.named({ tenantId, id }, null, input, now) : null;
    const present: Present =
      input.type === 'oidc'
        ? { type: 'oidc', settings: null, secrets: { clientSecret: false, privateKey: false } }
        : { type: 'saml', settings: null };
    const newKey = await this.secrets.keyFor(input, input.type);
    const made = await this.db.transaction(tenantId, async (tx) => {
      const count = await this.repository.countForAnother(tx, tenantId);
      if (count >= MAX_CONNECTIONS) throw new TooManyConnections(MAX_CONNECTIONS);
      const directoryId = input.directory_id ?? null;
      const draft = await this.draft(tx, tenantId, present, input, directoryId, imported);
      const slug = await this.names.takeSlug(tx, { tenantId, id }, input);
      await this.names.takeEntityId(tx, { tenantId, slug }, null, draft);
      const head = { tenant_id: tenantId, id, slug, name: input.name, enabled: input.enabled ?? true };
      await this.repository.insert(tx, {
        ...head,
        directory_id: directoryId,
        ...typed(draft),
        ...this.secrets.sealed(tenantId, id, draft, null, newKey),
        metadata_checked_at: imported === null ? null : now,
        metadata_problem: null,
      });
      const row = (await this.repository.find(tenantId, id, tx))!;
      await this.saving.note(tx, by, 'connection.created', null, row);
      return row;
    });
    await this.forget();
    return this.shape(made);
  }

  list(tenantId: string, slug: string | null, page: PageRequest): Promise<CutRows<ConnectionRow>> {
    return this.repository.list(tenantId, slug, page);
  }

  /**
   * Returns a connection.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  async get(tenantId: string, id: string): Promise<ConnectionBody> {
    return this.shape(await this.demand(tenantId, id));
  }

  /** Changes the named fields. Another IdP, and another directory, ends all bindings and sessions. */
  async change(by: AuditBy, id: string, input: ChangeConnection): Promise<ConnectionBody> {
    const { tenantId } = by;
    const now = this.clock.now();
    const known = await this.demand(tenantId, id);
    // Network calls and slow work come before anything is locked.
    const imported =
      known.type === 'saml' ? await this.imports.named({ tenantId, id }, known.settings, input, now) : null;
    const newKey = await this.secrets.keyFor(input, known.type);
    const after = await this.db.transaction(tenantId, async (tx) => {
      const row = await this.demand(tenantId, id, tx, true);
      if (imported !== null && row.version !== known.version) {
        throw changedMeanwhile();
      }
      const directoryId = input.directory_id === undefined ? row.directory_id : input.directory_id;
      const draft = await this.draft(tx, tenantId, presentOf(row), input, directoryId, imported, row);
      const was = row.type === 'saml' ? row.settings : null;
      await this.names.takeEntityId(tx, { tenantId, slug: row.slug }, was, draft);
      const look = imported === null ? {} : { metadata_checked_at: now, metadata_problem: null };
      return this.saving.save(tx, by, row, {
        ...row,
        ...look,
        name: input.name ?? row.name,
        enabled: input.enabled ?? row.enabled,
        directory_id: directoryId,
        ...typed(draft),
        ...this.secrets.sealed(tenantId, id, draft, row, newKey),
      });
    });
    await this.forget();
    return this.shape(after);
  }

  /** Deletes a connection and ends its sessions. */
  async remove(by: AuditBy, id: string): Promise<void> {
    await this.db.transaction(by.tenantId, async (tx) => {
      await this.saving.remove(tx, by, await this.demand(by.tenantId, id, tx, true));
    });
    await this.forget();
    await this.domains.forget();
  }

  /**
   * Reads the IdP's metadata again.
   *
   * @throws {MetadataNeedsConfirmation} for another IdP or none of the known keys, unless confirmed
   * @throws {InvalidFields} when it cannot be read or has expired
   */
  async refreshMetadata(by: AuditBy, id: string, confirmed: boolean): Promise<ConnectionBody> {
    const row = await this.demand(by.tenantId, id);
    const address = row.type === 'saml' ? row.settings.metadata_url : null;
    if (address === null) throw invalid('metadata_url', 'is not set');
    const result = await this.refreshing.refresh(by, row, address, confirmed);
    if (result.kind === 'gone') throw changedMeanwhile();
    if (result.kind === 'unconfirmed') throw new MetadataNeedsConfirmation(result.problem);
    if (result.kind === 'failed') throw invalid('metadata_url', result.problem);
    return this.shape(result.row);
  }

  /** Checks the IdP of an OIDC connection, past the caches and without a sign-in. */
  async check(tenantId: string, id: string): Promise<ConnectionCheckBody> {
    await this.demand(tenantId, id);
    const connection = await this.store.byId(tenantId, id);
    if (connection === null) throw new NotFound('connection');
    if (connection.type !== 'oidc') throw new NotCheckable();
    const result = await this.oidc.check(connection);
    return result.ok
      ? { ok: true, problem: null, keys: result.keys, logout: offeredLogout(result.server) }
      : { ok: false, problem: result.problem, keys: null, logout: null };
  }

  /**
   * Returns the row of a connection.
   *
   * @throws {NotFound} when the tenant has no such connection
   */
  async demand(tenantId: string, id: string, tx?: SqlRunner, lock = false): Promise<ConnectionRow> {
    const row = await this.repository.find(tenantId, id, tx, lock);
    if (row === null) throw new NotFound('connection');
    return row;
  }

  /** Maps a connection to the API. */
  shape(row: ConnectionRow): ConnectionBody {
    return connectionShape(row, this.addresses);
  }

  /** See {@link ConnectionStore.forget}. */
  forget(): Promise<void> {
    return this.store.forget();
  }

  private async draft(
    tx: SqlRunner,
    tenantId: string,
    present: Present,
    input: ConnectionFields & { type?: string },
    directoryId: string | null,
    imported: IdpSettings | null,
    row?: ConnectionRow,
  ): Promise<ConnectionDraft> {
    const errors: FieldError[] = [];
    const allowance = { allowPrivate: this.config.allowPrivateDestinations };
    const given = { paired: directoryId !== null, imported, now: this.clock.now() };
    const draft = connectionDraftOf(present, input, given, allowance, errors);
    if (row !== undefined && input.type !== undefined && input.type !== row.type) {
      errors.push({ field: 'type', message: 'cannot be changed' });
    }
    if (row !== undefined && input.slug !== undefined && input.slug !== row.slug) {
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
}

function invalid(field: string, message: string): InvalidFields {
  return new InvalidFields([{ field, message }]);
}

function changedMeanwhile(): Conflict {
  return new Conflict('changed_meanwhile', 'The connection was changed meanwhile; read it again.');
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
