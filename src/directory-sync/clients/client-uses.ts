import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { Logger } from '../../base/log/logger.js';
import { CredentialUses, storeLastUses, type UsedCredential } from '../../tenancy/tenants/credential-uses.js';
import { DirectoryMarks } from '../directories/directory-marks.js';

/** A use of a client and its secret: a request for a token, or one with a token. `id` names both. */
export interface ClientUse extends UsedCredential {
  readonly clientId: string;
  readonly secretId: string | null;
  readonly directoryId: string;
}

/** Returns the use of a client; `secretId` is null for an assertion. */
export function useOf(client: Omit<ClientUse, 'id'>): ClientUse {
  return { ...client, id: `${client.clientId} ${client.secretId ?? ''}` };
}

/** When each client and each secret was last used, and with it when each directory has sent its last request. */
@Injectable()
export class ClientUses extends CredentialUses<ClientUse> {
  constructor(
    private readonly db: Database,
    private readonly marks: DirectoryMarks,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override async write(uses: readonly (ClientUse & { at: Date })[]): Promise<void> {
    await storeLastUses(
      this.db,
      'directory_clients',
      lastOf(uses, ({ clientId }) => clientId),
    );
    await storeLastUses(
      this.db,
      'client_secrets',
      lastOf(uses, ({ secretId }) => secretId),
    );
    await this.marks.seen(uses);
  }
}

/** Returns the last use of each credential. */
function lastOf(
  uses: readonly (ClientUse & { at: Date })[],
  idOf: (use: ClientUse) => string | null,
): (UsedCredential & { at: Date })[] {
  const last = new Map<string, UsedCredential & { at: Date }>();
  for (const use of uses) {
    const id = idOf(use);
    if (id === null) continue;
    const { tenantId, at } = use;
    if ((last.get(id)?.at ?? at) <= at) last.set(id, { tenantId, id, at });
  }
  return [...last.values()];
}
