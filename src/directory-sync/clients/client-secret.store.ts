import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { parseToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { CredentialCache, type CredentialRow, type FoundCredential } from '../../tenancy/tenants/credential-cache.js';
import { CLIENT_COLUMNS, clientOf, type DirectoryClient, type ClientColumns } from './client.store.js';

/** A secret of a client. */
export interface ClientSecret {
  readonly id: string;
  readonly client: DirectoryClient;
  readonly expiresAt: Date | null;
}

/** Finds the secret of a text, with its client. */
@Injectable()
export class ClientSecretStore {
  private readonly secrets: CredentialCache<CredentialRow & ClientColumns, ClientSecret>;

  constructor(db: Database, clock: Clock) {
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

  /** Returns the secret of a text, also an ended one; null: there is none. */
  async find(text: string): Promise<FoundCredential<ClientSecret> | null> {
    const token = parseToken(text);
    return token?.kind === 'tbd' ? this.secrets.find(token) : null;
  }

  /** After a change of secrets or clients made here: resolves when no process goes by the old values. */
  forget(tenantId: string): Promise<void> {
    return this.secrets.forgetAll(tenantId);
  }
}
