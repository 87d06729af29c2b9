import { Injectable } from '@nestjs/common';
import { AccessTokenStore } from './access-token.store.js';
import { ClientSecretStore } from './client-secret.store.js';
import { ClientStore } from './client.store.js';

/** What this process keeps of clients, their secrets and their access tokens. */
@Injectable()
export class ClientCaches {
  constructor(
    private readonly clients: ClientStore,
    private readonly secrets: ClientSecretStore,
    private readonly tokens: AccessTokenStore,
  ) {}

  /** After the end of clients or secrets here: resolves when no process goes by the old values. */
  async forget(tenantId: string, ...clientIds: string[]): Promise<void> {
    await Promise.all([this.clients.forget(...clientIds), this.secrets.forget(tenantId), this.tokens.forget(tenantId)]);
  }
}
