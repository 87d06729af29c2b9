import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { PresentedToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import { Logger } from '../../base/log/logger.js';
import {
  CredentialCache,
  type CredentialRow,
  CredentialUses,
  storeLastUses,
  type UsedCredential,
} from '../../tenancy/tenants/credential-cache.js';
import { DirectoryMarks } from '../directories/directory-marks.js';
import { type ScimCredential, TokenRefusals, ScimTokenStore } from '../directories/scim-token.store.js';

/** A use of a client and its secret: a request for a token, or one with a token. `id` names both. */
interface ClientUse extends UsedCredential {
  readonly clientId: string;
  readonly secretId: string | null;
  readonly directoryId: string;
}

/** Returns the use of a client; `secretId` is null for an assertion. */
export function useOf(client: Omit<ClientUse, 'id'>): ClientUse {
  return { ...client, id: `${client.clientId} ${client.secretId ?? ''}` };
}

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

interface AccessToken extends ScimCredential {
  readonly use: ClientUse;
}

type AccessTokenRow = CredentialRow & { client_id: string; secret_id: string | null; directory_id: string };

/** Finds the credential of a SCIM request: a SCIM token of the directory, or an access token of one of its clients. */
@Injectable()
export class ScimCredentials {
  private readonly accessTokens: CredentialCache<AccessTokenRow, AccessToken>;

  constructor(
    private readonly tokens: ScimTokenStore,
    db: Database,
    clock: Clock,
    private readonly tries: FailedTries,
    private readonly uses: ClientUses,
    private readonly refusals: TokenRefusals,
  ) {
    this.accessTokens = new CredentialCache(db, clock, {
      table: 'access_tokens',
      // The token ends with its client and its secret, so the statement reads their rows too.
      query: (tenantId, hash) => `select a.id, a.client_id, a.secret_id, a.directory_id,
          least(a.expires_at, s.expires_at) as expires_at,
          least(c.revoked_at, s.revoked_at) as revoked_at
        from access_tokens a join directory_clients c on c.tenant_id = a.tenant_id and c.id = a.client_id
        left join client_secrets s on s.tenant_id = a.tenant_id and s.id = a.secret_id
        where a.tenant_id = ${tenantId} and a.hash = ${hash}`,
      make: ({ client_id: clientId, secret_id: secretId, directory_id: directoryId }, tenantId) => ({
        tenantId,
        // Limits and logs are of the client: its next token is no other caller.
        credentialId: clientId,
        directoryId,
        use: useOf({ tenantId, clientId, secretId, directoryId }),
      }),
      isProved: true,
    });
    db.feed.on(['directory_clients', 'client_secrets'], (row) => this.accessTokens.dropAll(row?.tenantId));
  }

  /**
   * Returns the credential of a text, and with it tenant and directory; the directory remembers a refusal and its reason.
   *
   * @throws {TooManyRequests} in place of null, when many wrong tokens of the same tenant came from this address
   */
  find(token: PresentedToken, from?: { ip?: string | undefined }): Promise<ScimCredential | null> {
    return token.parsed?.kind === 'tba' ? this.findAccessToken(token, from) : this.tokens.find(token, from);
  }

  noteOutside({ tenantId, directoryId }: ScimCredential, address: string | null): void {
    this.refusals.noteOutside(tenantId, directoryId, address);
  }

  /** Stores the refusal of a header without a bearer token at the directories of the tenant that the header names. */
  noteUnreadable(header: string, from?: string): void {
    this.refusals.noteUnreadable(header, from);
  }

  private async findAccessToken(
    { parsed, text }: PresentedToken,
    from?: { ip?: string | undefined },
  ): Promise<ScimCredential | null> {
    const token = parsed!;
    const found = await this.accessTokens.find(token);
    if (found !== null && found.ended === null) {
      this.uses.note(found.credential.use);
      return found.credential;
    }
    const reason = found === null ? 'unknown' : found.ended === 'expired' ? 'access_token_expired' : 'revoked';
    this.refusals.note(token.tenantId, found?.credential.directoryId ?? null, reason, text, from?.ip);
    this.tries.count(from?.ip, token.tenantId);
    return null;
  }

  /** Resolves when no process accepts the ended client or secret any more. */
  forget(tenantId: string): Promise<void> {
    return this.accessTokens.forgetAll(tenantId);
  }
}
