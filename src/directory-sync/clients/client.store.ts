import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { parseToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { readKeys, type IdpKey } from '../../protocols/oidc/jwks.rules.js';
import { CredentialCache, type CredentialRow, type FoundCredential } from '../../tenancy/tenants/credential-cache.js';
import { ScimCredentials } from './access-token.store.js';
import { tenantOfClient } from './client.rules.js';
import type { ClientKind } from './clients.dto.js';

export interface DirectoryClient {
  readonly tenantId: string;
  readonly id: string;
  readonly directoryId: string;
  readonly kind: ClientKind;
  readonly issuer: string | null;
  readonly subject: string | null;
  readonly audience: string | null;
  /** Read once, because reading a key takes longer than verifying with it. */
  readonly keys: readonly IdpKey[];
  readonly jwksUrl: string | null;
  readonly accessTokenSeconds: number;
}

const CLIENT_COLUMNS = `c.id as client_id, c.directory_id, c.kind, c.issuer, c.subject, c.audience, c.jwks, c.jwks_url,
  c.access_token_seconds`;

interface ClientColumns {
  client_id: string;
  directory_id: string;
  kind: ClientKind;
  issuer: string | null;
  subject: string | null;
  audience: string | null;
  jwks: Record<string, unknown> | null;
  jwks_url: string | null;
  access_token_seconds: number;
}

export function clientOf(row: ClientColumns, tenantId: string): DirectoryClient {
  return {
    tenantId,
    id: row.client_id,
    directoryId: row.directory_id,
    kind: row.kind,
    issuer: row.issuer,
    subject: row.subject,
    audience: row.audience,
    keys: row.jwks === null ? [] : readKeys(row.jwks),
    jwksUrl: row.jwks_url,
    accessTokenSeconds: row.access_token_seconds,
  };
}

export interface ClientSecret {
  readonly id: string;
  readonly client: DirectoryClient;
  readonly expiresAt: Date | null;
}

@Injectable()
export class ClientStore {
  private readonly clients: CredentialCache<CredentialRow & ClientColumns, DirectoryClient>;
  private readonly secrets: CredentialCache<CredentialRow & ClientColumns, ClientSecret>;

  constructor(
    db: Database,
    clock: Clock,
    private readonly credentials: ScimCredentials,
  ) {
    this.clients = new CredentialCache(db, clock, {
      table: 'directory_clients',
      // The id takes the place of a hash, so that a flood of unknown ids costs no more than one of wrong tokens.
      query: (tenantId, id) => `select c.id, null::timestamptz as expires_at, c.revoked_at, ${CLIENT_COLUMNS}
        from directory_clients c where c.tenant_id = ${tenantId} and c.id = convert_from(${id}, 'UTF8')`,
      make: (row: CredentialRow & ClientColumns, tenantId) => clientOf(row, tenantId),
      isProved: true,
    });

    this.secrets = new CredentialCache(db, clock, {
      table: 'client_secrets',
      query: (
        tenantId,
        hash,
      ) => `select s.id, s.expires_at, least(s.revoked_at, c.revoked_at) as revoked_at, ${CLIENT_COLUMNS}
        from client_secrets s join directory_clients c on c.tenant_id = s.tenant_id and c.id = s.client_id
        where s.tenant_id = ${tenantId} and s.hash = ${hash}`,
      make: (row: CredentialRow & ClientColumns, tenantId) => ({
        id: row.id,
        client: clientOf(row, tenantId),
        expiresAt: row.expires_at,
      }),
      isProved: true,
    });
    db.feed.on(['directory_clients'], (row) => this.secrets.dropAll(row?.tenantId));
  }

  /** Returns a client, also a deleted one; null when the id is unknown. */
  async find(clientId: string): Promise<FoundCredential<DirectoryClient> | null> {
    const tenantId = tenantOfClient(clientId);
    return tenantId === null ? null : this.clients.find({ tenantId, hash: Buffer.from(clientId) });
  }

  /** Returns the secret of a text, also an ended one; null when the text is no known secret. */
  async findSecret(text: string): Promise<FoundCredential<ClientSecret> | null> {
    const token = parseToken(text);
    return token?.kind === 'tbd' ? this.secrets.find(token) : null;
  }

  /** Resolves when no process uses the old values of these clients, their secrets and access tokens. */
  async forgetAll(tenantId: string, ...clientIds: string[]): Promise<void> {
    const { clients, secrets, credentials: tokens } = this;
    await Promise.all([clients.forget(...clientIds), secrets.forgetAll(tenantId), tokens.forget(tenantId)]);
  }
}
