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
import { DirectoryMarks } from './directory-marks.js';
import { TokenRefusals } from './token-refusals.js';

type UsedToken = UsedCredential & { directoryId: string };

/** When each SCIM token was last used, and with it when each directory has sent its last request. */
@Injectable()
export class ScimTokenUses extends CredentialUses<UsedToken> {
  constructor(
    private readonly db: Database,
    private readonly marks: DirectoryMarks,
    logger: Logger,
  ) {
    super(logger);
  }

  protected override async write(uses: readonly (UsedToken & { at: Date })[]): Promise<void> {
    await storeLastUses(this.db, 'scim_tokens', uses);
    await this.marks.seen(uses);
  }
}

/** A valid credential of SCIM, as the routes need it. */
export interface ScimCredential {
  readonly tenantId: string;
  /** The SCIM token, or the client of the access token. */
  readonly credentialId: string;
  readonly directoryId: string;
}

/** A SCIM token as it is stored. */
type ScimTokenRow = CredentialRow & { directory_id: string };

/** Finds the SCIM token of a text. Unknown, expired and revoked ones are all null. */
@Injectable()
export class ScimTokenStore {
  private readonly tokens: CredentialCache<ScimTokenRow, ScimCredential>;

  constructor(
    db: Database,
    clock: Clock,
    private readonly tries: FailedTries,
    private readonly uses: ScimTokenUses,
    private readonly refusals: TokenRefusals,
  ) {
    this.tokens = new CredentialCache(db, clock, {
      table: 'scim_tokens',
      query: (tenantId, hash) => `select id, expires_at, revoked_at, directory_id from scim_tokens
        where tenant_id = ${tenantId} and hash = ${hash}`,
      make: ({ id, directory_id: directoryId }, tenantId) => ({ tenantId, credentialId: id, directoryId }),
      isProved: true,
    });
  }

  /**
   * Returns the SCIM token of a text, and with it tenant and directory; the directory remembers a refusal and its reason.
   *
   * @throws {TooManyRequests} in place of null, when many wrong tokens of the same tenant came from this address
   */
  async find(
    { parsed: token, text }: PresentedToken,
    from?: { ip?: string | undefined },
  ): Promise<ScimCredential | null> {
    if (token === null || token.kind !== 'tbs') {
      if (token === null) this.refusals.noteUnreadable(`Bearer ${text}`, from?.ip);
      else if (token.tenantId !== '') this.refusals.note(token.tenantId, null, 'not_a_scim_token', text, from?.ip);
      this.tries.count(from?.ip, '');
      return null;
    }
    const found = await this.tokens.find(token);
    const reason = found === null ? 'unknown' : found.ended;
    if (found === null || reason !== null) {
      this.refusals.note(token.tenantId, found?.credential.directoryId ?? null, reason ?? 'unknown', text, from?.ip);
      // After the look-up: the tries that an address has used up never refuse a valid credential.
      this.tries.count(from?.ip, token.tenantId);
      return null;
    }
    const { tenantId, credentialId: id, directoryId } = found.credential;
    this.uses.note({ tenantId, id, directoryId });
    return found.credential;
  }

  /** A valid token came from a network that its directory does not admit: the directory remembers the address. */
  noteOutside({ tenantId, directoryId }: ScimCredential, address: string | null): void {
    this.refusals.noteOutside(tenantId, directoryId, address);
  }

  /** A header without a bearer token was refused: the directories of the tenant that it names remember why. */
  noteUnreadable(header: string, from?: string): void {
    this.refusals.noteUnreadable(header, from);
  }

  /** After a change of tokens made here: resolves when no process goes by the old values. */
  forget(...tokenIds: string[]): Promise<void> {
    return this.tokens.forget(...tokenIds);
  }
}
