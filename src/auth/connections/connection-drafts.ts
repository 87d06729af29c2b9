import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import type { SqlRunner } from '../../base/database/database.js';
import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import { connectionDraftOf, namedRoles, type ConnectionDraft, type Present } from './connection-draft.rules.js';
import { ConnectionSecrets, type PrivateJwk } from './connection-secrets.js';
import type { IdpSettings } from './connection.settings.js';
import type { ConnectionFields } from './connections.dto.js';
import { ConnectionsRepository, type ConnectionRow } from './connections.repository.js';
import { MetadataImport } from './metadata-import.js';

/** What is read or made for a request before anything is locked: network calls and slow work. */
export interface PreparedDraft {
  /** The IdP by its metadata; null: the request names none. */
  imported: IdpSettings | null;
  key: PrivateJwk | null;
  at: Date;
}

/** A request about the settings of a connection. */
export interface DraftRequest {
  input: ConnectionFields & { type?: string };
  /** The directory that the connection is paired with afterwards. */
  directoryId: string | null;
  prepared: PreparedDraft;
}

/** Makes the settings and the secrets of a connection from a request. */
@Injectable()
export class ConnectionDrafts {
  constructor(
    private readonly repository: ConnectionsRepository,
    private readonly secrets: ConnectionSecrets,
    private readonly imports: MetadataImport,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * Reads the metadata that a request names, and makes the key that it needs.
   *
   * @throws {InvalidFields} when the metadata or the key cannot be used
   */
  async prepare(
    connection: { tenantId: string; id: string },
    present: Present,
    input: ConnectionFields,
  ): Promise<PreparedDraft> {
    const at = this.clock.now();
    const imported = present.type === 'saml' ? await this.imports.named(connection, present.settings, input, at) : null;
    return { imported, key: await this.secrets.keyFor(input, present.type), at };
  }

  /**
   * Returns the settings after a request, and the columns that hold them.
   *
   * @param row the row before; null: a new connection
   * @throws {InvalidFields} with each problem of the request
   */
  async of(
    tx: SqlRunner,
    { tenantId, id }: { tenantId: string; id: string },
    present: Present,
    row: ConnectionRow | null,
    request: DraftRequest,
  ) {
    const draft = await this.draft(tx, tenantId, present, row, request);
    const columns = { ...typed(draft), ...this.secrets.sealed(tenantId, id, draft, row, request.prepared.key) };
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

/** Returns the settings of a connection before a change. */
export function presentOf(row: ConnectionRow): Present {
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
