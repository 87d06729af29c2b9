import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { PresentedToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { plainAddress } from '../../base/http/allowed-networks.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import { Logger } from '../../base/log/logger.js';
import {
  CredentialCache,
  type CredentialRow,
  CredentialUses,
  storeLastUses,
  type UsedCredential,
} from '../../tenancy/tenants/credential-cache.js';
import { credentialForm } from '../../tenancy/tenants/credentials.rules.js';
import { DirectoryMarks, type TokenRefusal } from './directory-marks.js';

const EVERY = 10_000;
const REMEMBERED = 1_000;
/** The characters of a secret in the shown prefix of a token (`mintToken`). */
const SHOWN_OF_SECRET = 4;

/**
 * Stores the last refused credential of each directory, with the reason, at most once in ten seconds.
 *
 * Expired tokens that only show as 401 at the IdP are the most frequent outage of provisioning.
 */
@Injectable()
export class TokenRefusals {
  private readonly written = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly marks: DirectoryMarks,
  ) {}

  /** Stores the refusal of a header without a readable token, if the header names a tenant. */
  noteUnreadable(header: string, from?: string): void {
    const { problem, named } = credentialForm(header, 'tbs');
    if (named === null || problem === null || problem === 'foreign') return;
    const reason = problem === 'other_kind' ? 'not_a_scim_token' : problem;
    const prefix = `${named.kind}_${named.tenantId.replace(/^ten_/, '')}_`;
    const start = header.indexOf(prefix);
    const begins = header.slice(start, start + prefix.length + SHOWN_OF_SECRET);
    this.write(named.tenantId, null, { reason, prefix }, { begins, address: plainAddress(from) });
  }

  /** Stores a refusal. An unknown token names its tenant; its prefix can name a directory. */
  note(tenantId: string, directoryId: string | null, reason: string, token: string, from?: string): void {
    const prefix = token.slice(0, token.length - 45);
    this.write(tenantId, directoryId, { reason, prefix }, { begins: prefix, address: plainAddress(from) });
  }

  noteOutside(tenantId: string, directoryId: string, address: string | null): void {
    const prefix = `tbs_${tenantId.replace(/^ten_/, '')}_`;
    this.write(tenantId, directoryId, { reason: 'outside_allow_from', prefix, address });
  }

  noteClient(
    client: { tenantId: string; directoryId: string; id: string; kind: string },
    reason: string,
    from: string | undefined,
  ): void {
    const address = reason === 'outside_allow_from' ? { address: plainAddress(from) } : {};
    const refused = { reason, prefix: client.id, client_id: client.id, kind: client.kind, ...address };
    this.write(client.tenantId, client.directoryId, refused);
  }

  private write(
    tenantId: string,
    directoryId: string | null,
    refused: Omit<TokenRefusal, 'at'>,
    unknown: { begins: string; address: string | null } | null = null,
  ): void {
    const name = `${tenantId} ${directoryId ?? ''} ${refused.reason} ${refused.client_id ?? ''}`;
    const now = this.clock.monotonic();
    if (now - (this.written.get(name) ?? -EVERY) < EVERY) return;
    if (!this.makeRoom(now)) return;
    this.written.set(name, now);
    const refusal = { at: this.clock.now().toISOString(), ...refused };
    this.marks
      .refusedToken(tenantId, directoryId, refusal, unknown)
      .catch((error: unknown) => this.logger.warn('refused credential not noted', { tenant_id: tenantId, error }));
  }

  // A wrong token can name any tenant. The limit bounds the lines that a flood of names writes in ten seconds.
  private makeRoom(now: number): boolean {
    if (this.written.size < REMEMBERED) return true;
    for (const [name, at] of this.written) if (now - at >= EVERY) this.written.delete(name);
    return this.written.size < REMEMBERED;
  }
}

type UsedToken = UsedCredential & { directoryId: string };

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

/** A valid credential of SCIM. `credentialId` is the SCIM token, or the client of the access token. */
export interface ScimCredential {
  readonly tenantId: string;
  readonly credentialId: string;
  readonly directoryId: string;
}

type ScimTokenRow = CredentialRow & { directory_id: string };

/** Finds the SCIM token of a text. Unknown, expired and revoked tokens are null. */
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
   * Returns the SCIM token of a text. The directory stores a refusal with its reason.
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
      // After the look-up: failed tries of an address never refuse a valid credential.
      this.tries.count(from?.ip, token.tenantId);
      return null;
    }
    const { tenantId, credentialId: id, directoryId } = found.credential;
    this.uses.note({ tenantId, id, directoryId });
    return found.credential;
  }

  /** Resolves when no process uses the values before a change of tokens. */
  forget(...tokenIds: string[]): Promise<void> {
    return this.tokens.forget(...tokenIds);
  }
}
