import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { parseToken, sameHash, type ParsedToken } from '../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { FreshCache } from '../base/fresh-cache.js';
import { TooManyRequests } from '../base/http/http.errors.js';
import { FailedTries } from '../base/http/rate-limit.js';
import type { Actor } from '../identity/source.js';
import { CredentialRefusals, type RefusalReason } from './credential-refusals.js';
import { CredentialUses } from './credential-uses.js';

/** A valid API key, as the guard needs it. */
export interface ApiKeyCredential {
  readonly tenantId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly actor: Actor;
}

/** A valid SCIM token, as the SCIM door needs it. */
export interface ScimCredential {
  readonly tenantId: string;
  readonly tokenId: string;
  readonly directoryId: string;
  readonly name: string;
}

/** Where a request comes from; read only when a credential is not known. */
export interface Origin {
  readonly ip?: string | undefined;
}

interface Found<C> {
  credential: C;
  expiresAt: number;
  revokedAt: number;
}

interface CredentialRow {
  id: string;
  name: string;
  hash: Buffer;
  expires_at: Date | null;
  revoked_at: Date | null;
}

// A revocation by any process holds within a second everywhere; what this process revokes itself, at once.
const TTL = 800;

/** Finds the credential that a token stands for. Unknown, expired and revoked ones are all null. */
@Injectable()
export class CredentialStore {
  private readonly keys: FreshCache<Found<ApiKeyCredential> | null>;
  private readonly tokens: FreshCache<Found<ScimCredential> | null>;

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly tries: FailedTries,
    private readonly uses: CredentialUses,
    private readonly refusals: CredentialRefusals,
  ) {
    this.keys = new FreshCache(clock, TTL);
    this.tokens = new FreshCache(clock, TTL);
  }

  /** The API key of a token. 429 from an address that has tried too many wrong ones. */
  async findApiKey(text: string, from?: Origin): Promise<ApiKeyCredential | null> {
    const token = parseToken(text);
    if (token === null || token.kind !== 'tbk') return this.failed(from);
    const name = token.hash.toString('latin1');
    this.demandTriesLeft(this.keys.knows(name), from);
    const found = await this.keys.get(name, () => this.loadApiKey(token));
    if (found === null || this.endOf(found) !== null) {
      if (found === null) this.keys.drop(name);
      return this.failed(from);
    }
    this.uses.note('api_keys', token.tenantId, found.credential.keyId, null);
    return found.credential;
  }

  /** The SCIM token of a text, and with it tenant and directory; the directory remembers a refusal and its reason. */
  async findScimToken(text: string, from?: Origin): Promise<ScimCredential | null> {
    const token = parseToken(text);
    if (token === null || token.kind !== 'tbs') {
      if (token?.kind === 'tbk') this.refusals.note(token.tenantId, null, 'not_a_scim_token', text);
      return this.failed(from);
    }
    const name = token.hash.toString('latin1');
    this.demandTriesLeft(this.tokens.knows(name), from);
    const found = await this.tokens.get(name, () => this.loadScimToken(token));
    const reason: RefusalReason | null = found === null ? 'unknown' : this.endOf(found);
    if (reason !== null) {
      if (found === null) this.tokens.drop(name);
      this.refusals.note(token.tenantId, found?.credential.directoryId ?? null, reason, text);
      return this.failed(from);
    }
    const { credential } = found!;
    this.uses.note('scim_tokens', token.tenantId, credential.tokenId, credential.directoryId);
    return credential;
  }

  /** Forgets what is cached, so that a revocation made here holds at once. */
  forget(): void {
    this.keys.drop();
    this.tokens.drop();
  }

  /** Ends every API key that is a person's own; called in the transaction that ends the person. */
  async endPerson(db: SqlRunner, tenantId: string, userId: string): Promise<void> {
    const { rowCount } = await db.query(
      `update api_keys set revoked_at = now()
       where tenant_id = $1 and owner_kind = 'person' and owner_user_id = $2
         and (revoked_at is null or revoked_at > now())`,
      [tenantId, userId],
    );
    if (rowCount) this.keys.drop();
  }

  private endOf(found: Found<unknown>): RefusalReason | null {
    const now = this.clock.now().getTime();
    if (now >= found.revokedAt) return 'revoked';
    return now >= found.expiresAt ? 'expired' : null;
  }

  private failed(from: Origin | undefined): null {
    if (from?.ip !== undefined) this.tries.note(from.ip);
    return null;
  }

  // Credentials that were good a moment ago pass: a stranger behind the same address must not lock them out.
  private demandTriesLeft(known: boolean, from: Origin | undefined): void {
    if (!known && from?.ip !== undefined && this.tries.isBlocked(from.ip)) {
      throw new TooManyRequests('Too many wrong credentials came from this address.', 10);
    }
  }

  private async loadApiKey(token: ParsedToken): Promise<Found<ApiKeyCredential> | null> {
    const { rows } = await this.db.query<CredentialRow & { scopes: string[] }>(
      // A person's own key needs the person: one that was made in the moment in which they were put out is worth nothing.
      `select k.id, k.name, k.hash, k.expires_at, k.revoked_at, k.scopes from api_keys k
       where k.tenant_id = $1 and k.hash = $2 and (k.owner_kind = 'service' or exists (
         select 1 from users u where u.tenant_id = k.tenant_id and u.id = k.owner_user_id and u.status = 'active'))`,
      [token.tenantId, token.hash],
    );
    const row = rows[0];
    if (row === undefined || !sameHash(row.hash, token.hash)) return null;
    return found(row, {
      tenantId: token.tenantId,
      keyId: row.id,
      name: row.name,
      scopes: new Set(row.scopes),
      actor: Object.freeze<Actor>({ kind: 'key', id: row.id, name: row.name }),
    });
  }

  private async loadScimToken(token: ParsedToken): Promise<Found<ScimCredential> | null> {
    const { rows } = await this.db.query<CredentialRow & { directory_id: string }>(
      `select id, name, hash, expires_at, revoked_at, directory_id from scim_tokens
       where tenant_id = $1 and hash = $2`,
      [token.tenantId, token.hash],
    );
    const row = rows[0];
    if (row === undefined || !sameHash(row.hash, token.hash)) return null;
    return found(row, {
      tenantId: token.tenantId,
      tokenId: row.id,
      directoryId: row.directory_id,
      name: row.name,
    });
  }
}

function found<C>(row: CredentialRow, credential: C): Found<C> {
  return {
    credential,
    expiresAt: row.expires_at?.getTime() ?? Infinity,
    revokedAt: row.revoked_at?.getTime() ?? Infinity,
  };
}
