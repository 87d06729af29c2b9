import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { PresentedToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { AllowedNetworks, plainAddress } from '../../base/http/allowed-networks.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import { Logger } from '../../base/log/logger.js';
import type { Actor } from '../identity/person.js';
import { KnownUsers } from './caller.js';
import {
  CredentialUses,
  type UsedCredential,
  storeLastUses,
  CredentialCache,
  type CredentialRow,
} from './credential-cache.js';

type RefusedKey = UsedCredential & { address: string | null };

@Injectable()
export class ApiKeyRefusals extends CredentialUses<RefusedKey> {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override async write(refused: readonly (RefusedKey & { at: Date })[]): Promise<void> {
    await this.db.query(
      `update api_keys k set last_refusal = r.refusal from unnest($1::text[], $2::text[], $3::jsonb[]) r (tenant_id, id, refusal)
       where k.tenant_id = r.tenant_id and k.id = r.id`,
      [
        refused.map(({ tenantId }) => tenantId),
        refused.map(({ id }) => id),
        refused.map(({ at, address }) => JSON.stringify({ at, reason: 'outside_allow_from', address })),
      ],
    );
  }
}

@Injectable()
export class ApiKeyUses extends CredentialUses {
  constructor(
    private readonly db: Database,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override write(uses: readonly (UsedCredential & { at: Date })[]): Promise<void> {
    return storeLastUses(this.db, 'api_keys', uses);
  }
}

interface ApiKeyCredential {
  readonly tenantId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly actor: Actor;
  readonly networks: AllowedNetworks;
}

type ApiKeyRow = CredentialRow & { name: string; scopes: string[]; allow_from: string[] };

/** Finds the API key of a token. Unknown, expired and revoked keys are null. */
@Injectable()
export class ApiKeyStore {
  private readonly keys: CredentialCache<ApiKeyRow, ApiKeyCredential>;

  constructor(
    db: Database,
    clock: Clock,
    users: KnownUsers,
    private readonly tries: FailedTries,
    private readonly uses: ApiKeyUses,
    private readonly refusals: ApiKeyRefusals,
  ) {
    this.keys = new CredentialCache(db, clock, {
      table: 'api_keys',
      // A personal key needs an active user: a key made at the moment of the user's deactivation is not valid.
      query: (
        tenantId,
        hash,
      ) => `select k.id, k.name, k.expires_at, k.revoked_at, k.scopes, k.allow_from from api_keys k
        where k.tenant_id = ${tenantId} and k.hash = ${hash}
          and (k.owner_kind = 'service' or exists (${users.activeQuery(tenantId, 'k.owner_user_id')}))`,
      make: credentialOf,
      // A personal key ends with its user, whom the feed does not include: keys are read again.
      isProved: false,
    });
  }

  /** @throws {TooManyRequests} in place of null, when many wrong tokens of the same tenant came from this address */
  async find({ parsed: token }: PresentedToken, from?: { ip?: string | undefined }): Promise<ApiKeyCredential | null> {
    const found = token?.kind === 'tbk' ? await this.keys.find(token) : null;
    if (found === null || found.ended !== null) {
      // After the look-up: failed tries of an address never refuse a valid credential.
      this.tries.count(from?.ip, token?.kind === 'tbk' ? token.tenantId : '');
      return null;
    }
    this.uses.note({ tenantId: found.credential.tenantId, id: found.credential.keyId });
    return found.credential;
  }

  noteOutside({ tenantId, keyId: id }: ApiKeyCredential, ip: string | undefined): void {
    this.refusals.note({ tenantId, id, address: plainAddress(ip) });
  }

  /** Resolves when no process uses the keys' values before a change made here. */
  forget(...keyIds: string[]): Promise<void> {
    return this.keys.forget(...keyIds);
  }
}

function credentialOf({ id, name, scopes, allow_from }: ApiKeyRow, tenantId: string): ApiKeyCredential {
  const actor = Object.freeze<Actor>({ kind: 'key', id, name });
  return { tenantId, keyId: id, name, scopes: new Set(scopes), actor, networks: new AllowedNetworks(allow_from) };
}
