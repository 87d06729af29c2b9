import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { issuerOf } from '../../protocols/oidc/discovery.rules.js';
import { problemOfEndpoint } from '../../protocols/oidc/guarded-fetch.js';
import { once } from '../../tenancy/idempotency/idempotency-keys.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { type Cap, liveIn, demandRoom } from '../../tenancy/tenants/caps.js';
import { scimBaseOf, TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { CredentialEnded } from '../../tenancy/tenants/tenants.errors.js';
import { demandUnused } from '../directories/directory-marks.js';
import { DirectoryDeleted } from '../directories/directory-people.js';
import type { AdminRequest } from '../directories/directory.js';
import { ClientUses } from './access-token.store.js';
import { newClientId, secretEnd, clientProblems, type ClientSettings, tokenAddressOf } from './client.rules.js';
import { ClientStore } from './client.store.js';
import type {
  ClientBody,
  ClientSecretBody,
  CreateClient,
  CreateClientSecret,
  NewClientBody,
  NewClientSecretBody,
} from './clients.dto.js';
import { ClientsRepository, type ClientRow } from './clients.repository.js';

const CLIENTS_CAP: Cap = {
  most: 10,
  code: 'too_many_clients',
  whose: 'A directory',
  what: 'clients',
  remedy: 'delete one that is not needed',
  count: `select count(*)::int as n from directory_clients where tenant_id = $1 and directory_id = $2 and revoked_at is null`,
  lock: `select 1 from directories where tenant_id = $1 and id = $2 for no key update`,
};

const CLIENT_SECRETS_CAP: Cap = {
  most: 2,
  code: 'too_many_client_secrets',
  whose: 'A client',
  what: 'live secrets',
  remedy: 'delete the one that is not used any more',
  count: liveIn('client_secrets where tenant_id = $1 and client_id = $2'),
  lock: `select 1 from directory_clients where tenant_id = $1 and id = $2 for no key update`,
};

const ACCESS_TOKEN_SECONDS = 3_600;

/**
 * The OAuth clients of a directory, and their secrets. Ends the clients of a directory in the transaction of its
 * deletion.
 */
@Injectable()
export class ClientsService implements OnModuleInit {
  constructor(
    private readonly db: Database,
    private readonly repository: ClientsRepository,
    private readonly audit: AuditService,
    private readonly addresses: TenantAddresses,
    private readonly config: Config,
    private readonly clock: Clock,
    private readonly uses: ClientUses,
    private readonly store: ClientStore,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Creates a client. For the kind `secret`, the answer has the first secret, which is never shown again.
   *
   * @throws {NotFound} when the tenant has no such directory
   */
  async create(by: AdminRequest, directoryId: string, input: CreateClient): Promise<NewClientBody> {
    const settings = this.settingsOf(input);
    const { tenantId } = by;
    const id = newClientId(tenantId);
    const made = await once(this.db, by, async (tx) => {
      await this.demandDirectory(tenantId, directoryId, tx);
      await demandRoom(tx, CLIENTS_CAP, tenantId, directoryId);
      const seconds = input.access_token_seconds ?? ACCESS_TOKEN_SECONDS;
      const client = { tenantId, id, directoryId, name: input.name ?? 'client', seconds, createdBy: by.actor };
      await this.repository.insert(tx, client, settings);
      const secret = settings.kind === 'secret' ? await this.addSecret(tx, by, id, input.expires_at) : null;
      const row = await this.demand(tenantId, directoryId, id, tx);
      await this.note(tx, by, 'directory_client.created', directoryId, row);
      return { row, secret };
    });
    const body = await this.shape(tenantId, made.row);
    return made.secret === null ? body : { ...body, client_secret: made.secret.client_secret };
  }

  async list(tenantId: string, directoryId: string, page: PageRequest): Promise<ClientBody[]> {
    await this.demandDirectory(tenantId, directoryId);
    const rows = await this.repository.list(tenantId, directoryId, page);
    return Promise.all(rows.map((row) => this.shape(tenantId, row)));
  }

  async get(tenantId: string, directoryId: string, id: string): Promise<ClientBody> {
    await this.demandDirectory(tenantId, directoryId);
    return this.shape(tenantId, await this.demand(tenantId, directoryId, id));
  }

  /** Ends a client with its secrets and access tokens. Every process refuses them within a second. */
  async revoke(by: AdminRequest, directoryId: string, id: string, force: boolean): Promise<void> {
    await this.uses.flush();
    await this.db.transaction(by.tenantId, async (tx) => {
      await this.demandDirectory(by.tenantId, directoryId, tx);
      const before = await this.demand(by.tenantId, directoryId, id, tx, true);
      if (before.revoked_at !== null) return;
      demandUnused(before.last_used_at, this.clock.now(), force);
      await this.repository.revoke(tx, by.tenantId, id);
      const after = await this.demand(by.tenantId, directoryId, id, tx);
      await this.note(tx, by, 'directory_client.revoked', directoryId, after, before);
    });
    await this.store.forgetAll(by.tenantId, id);
  }

  /** @throws {CredentialEnded} when the client is deleted */
  async createSecret(
    by: AdminRequest,
    directoryId: string,
    clientId: string,
    input: CreateClientSecret,
  ): Promise<NewClientSecretBody> {
    const { tenantId } = by;
    const made = await once(this.db, by, async (tx) => {
      await this.demandDirectory(tenantId, directoryId, tx);
      const before = await this.demand(tenantId, directoryId, clientId, tx, true);
      if (before.revoked_at !== null) throw new CredentialEnded();
      if (before.kind !== 'secret') {
        throw new InvalidFields([
          { field: 'client_id', message: `is of the kind ${before.kind}, which has no secrets` },
        ]);
      }
      // The other secrets end first, so that they do not count towards the limit.
      const { overlap_seconds: overlap } = input;
      if (overlap !== undefined) await this.repository.revokeSecrets(tx, tenantId, clientId, null, overlap);
      const secret = await this.addSecret(tx, by, clientId, input.expires_at);
      const after = await this.demand(tenantId, directoryId, clientId, tx);
      await this.note(tx, by, 'directory_client.secret_created', directoryId, after, before);
      return secret;
    });
    if (input.overlap_seconds !== undefined) await this.store.forgetAll(by.tenantId);
    return made;
  }

  /** Ends a secret, and the access tokens that it was given for. Every process refuses them within a second. */
  async revokeSecret(
    by: AdminRequest,
    directoryId: string,
    clientId: string,
    id: string,
    force: boolean,
  ): Promise<void> {
    await this.uses.flush();
    await this.db.transaction(by.tenantId, async (tx) => {
      await this.demandDirectory(by.tenantId, directoryId, tx);
      const before = await this.demand(by.tenantId, directoryId, clientId, tx, true);
      const secret = before.secrets.find((one) => one.id === id);
      if (secret === undefined) throw new NotFound('secret');
      const now = this.clock.now();
      if (secret.expires_at <= now || (secret.revoked_at !== null && secret.revoked_at <= now)) return;
      demandUnused(secret.last_used_at, now, force);
      await this.repository.revokeSecrets(tx, by.tenantId, clientId, id, 0);
      const after = await this.demand(by.tenantId, directoryId, clientId, tx);
      await this.note(tx, by, 'directory_client.secret_revoked', directoryId, after, before);
    });
    await this.store.forgetAll(by.tenantId);
  }

  private settingsOf(input: CreateClient): ClientSettings {
    const { kind, subject = null, audience = null, jwks = null, jwks_url = null } = input;
    const issuer = input.issuer === undefined ? null : issuerOf(input.issuer);
    const settings = { kind, issuer, subject, audience, jwks, jwks_url };
    const errors = clientProblems(settings, (address) =>
      problemOfEndpoint(address, this.config.allowPrivateDestinations),
    );
    if (input.expires_at !== undefined && kind !== 'secret') {
      errors.push({ field: 'expires_at', message: 'is the end of a secret; a client of this kind has none' });
    }
    if (errors.length > 0) throw new InvalidFields(errors);
    return settings;
  }

  private async addSecret(
    tx: SqlRunner,
    by: AdminRequest,
    clientId: string,
    asked: Date | undefined,
  ): Promise<NewClientSecretBody> {
    const expiresAt = secretEnd(asked, this.clock.now());
    await demandRoom(tx, CLIENT_SECRETS_CAP, by.tenantId, clientId);
    const { token, prefix, hash } = mintToken('tbd', by.tenantId);
    const id = newId('cls');
    const secret = { tenantId: by.tenantId, id, clientId, prefix, hash, createdBy: by.actor, expiresAt };
    const row: ClientSecretBody = await this.repository.insertSecret(tx, secret);
    return { ...row, client_id: clientId, client_secret: token };
  }

  private async shape(tenantId: string, row: ClientRow): Promise<ClientBody> {
    const base = await this.addresses.of(tenantId);
    return { ...row, token_url: tokenAddressOf(base), scim_base_url: scimBaseOf(base) };
  }

  private async demandDirectory(tenantId: string, directoryId: string, db?: SqlRunner): Promise<void> {
    if (!(await this.repository.hasDirectory(tenantId, directoryId, db))) throw new NotFound('directory');
  }

  private async demand(
    tenantId: string,
    directoryId: string,
    id: string,
    db?: SqlRunner,
    lock = false,
  ): Promise<ClientRow> {
    const client = await this.repository.find(tenantId, directoryId, id, db, lock);
    if (client === null) throw new NotFound('client');
    return client;
  }

  private note(
    tx: SqlRunner,
    by: AdminRequest,
    action: string,
    directoryId: string,
    client: ClientRow,
    before?: ClientRow,
  ): Promise<void> {
    const after = { ...client, directory_id: directoryId };
    return this.audit.record(tx, { ...by, action, targetType: 'directory_client', targetId: client.id, before, after });
  }

  onModuleInit(): void {
    this.events.on(DirectoryDeleted, async ({ tx, tenantId, directoryId, force }) => {
      const lastUse = await this.repository.revokeAll(tx, tenantId, directoryId);
      demandUnused(lastUse, this.clock.now(), force);
    });
  }
}
