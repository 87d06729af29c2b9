import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import type { CutRows } from '../../base/database/byte-cut.js';
import { type SqlRunner, Database } from '../../base/database/database.js';
import { InvalidFields, type FieldError, Conflict, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { CUT_ISSUER, issuerOf } from '../../protocols/oidc/discovery.rules.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import type { AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import { demandPlainName } from '../../tenancy/tenants/tenants.service.js';
import { AuthAddresses } from './addresses.js';
import type { ConnectionBody } from './bodies.dto.js';
import type { IdpSettings } from './connection.js';
import { DomainsStore } from './domains/domains.store.js';
import { connectionDraftOf, namedRoles, type ConnectionDraft, type Present } from './draft.rules.js';
import type { ConnectionFields, ChangeConnection, CreateConnection } from './dto.js';
import { TooManyConnections } from './errors.js';
import { MetadataSource } from './metadata.js';
import { ConnectionsRepository, type ConnectionRow } from './repository.js';
import { ConnectionSaving } from './saving.js';
import { connectionShape } from './shape.mapping.js';
import { ConnectionStore, type PrivateJwk } from './store.js';

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

/** The administration of connections. */
@Injectable()
export class ConnectionsService {
  constructor(
    private readonly db: Database,
    private readonly repository: ConnectionsRepository,
    private readonly saving: ConnectionSaving,
    private readonly store: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly addresses: AuthAddresses,
    private readonly metadata: MetadataSource,
    private readonly config: Config,
    private readonly clock: Clock,
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
      const slug = await this.saving.takeSlug(tx, { tenantId, id }, input);
      await this.saving.takeEntityId(tx, { tenantId, slug }, null, draft);
      const head = { tenant_id: tenantId, id, slug, name: input.name, enabled: input.enabled ?? true };
      await this.repository.insert(tx, {
        ...head,
        directory_id: directoryId,
        ...columns,
        metadata_checked_at: prepared.imported === null ? null : prepared.at,
        metadata_problem: null,
      });
      const row = (await this.repository.find(tenantId, id, tx))!;
      await this.saving.note(tx, by, 'connection.created', null, row);
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
      await this.saving.takeEntityId(tx, { tenantId, slug: row.slug }, was, draft);
      const look = hasImported ? { metadata_checked_at: prepared.at, metadata_problem: null } : {};
      return this.saving.save(tx, by, row, {
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
      await this.saving.remove(tx, by, await this.demand(by.tenantId, id, tx, true));
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
}

function issuerHint({ issuer }: ConnectionFields): { hint?: string } {
  return issuer === undefined || issuerOf(issuer) === issuer ? {} : { hint: CUT_ISSUER };
}

export function changedMeanwhile(): Conflict {
  return new Conflict('changed_meanwhile', 'The connection was changed meanwhile; read it again.');
}
