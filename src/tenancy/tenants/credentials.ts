import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import type { ParsedToken, PresentedToken } from '../../base/crypto/tokens.js';
import { Database } from '../../base/database/database.js';
import { FreshCache } from '../../base/fresh-cache.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { FailedTries } from '../../base/http/rate-limit.js';
import type { Actor } from '../identity/source.js';
import { CredentialLookups } from './credential-lookups.js';
import {
  readApiKey,
  readApiKeys,
  readScimToken,
  readScimTokens,
  type ApiKeyRow,
  type ScimTokenRow,
} from './credential-queries.js';
import { CredentialRefusals } from './credential-refusals.js';
import type { CredentialRefusalReason } from './tenants.events.js';
import { CredentialUses } from './credential-uses.js';

/** A valid API key, as the guard needs it. */
export interface ApiKeyCredential {
  readonly tenantId: string;
  readonly keyId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly actor: Actor;
}

/** A valid SCIM token, as the SCIM routes need it. */
export interface ScimCredential {
  readonly tenantId: string;
  readonly tokenId: string;
  readonly directoryId: string;
  readonly name: string;
}

/** Where a request comes from; read only when its credential is refused. */
export interface CredentialOrigin {
  readonly ip?: string | undefined;
}

interface Found<C> {
  credential: C;
  expiresAt: number;
  revokedAt: number;
}

// A personal key ends with its user, of which no message comes here: keys are read again at this age.
const TTL = 800;

/**
 * Finds the credential of a token. Unknown, expired and revoked ones are all null.
 *
 * A token that this process has found before is read again on its tenant's share of the database. Any other token is
 * looked up in a batch with all the other unknown ones: a flood of wrong tokens delays a valid one by a batch and never
 * refuses it.
 */
@Injectable()
export class CredentialStore {
  private readonly keys: FreshCache<Found<ApiKeyCredential> | null>;
  private readonly tokens: FreshCache<Found<ScimCredential> | null>;
  private readonly unknownKeys: CredentialLookups<ApiKeyRow>;
  private readonly unknownTokens: CredentialLookups<ScimTokenRow>;
  /** The name under which the token of a credential id is cached. */
  private readonly names = new Map<string, string>();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly tries: FailedTries,
    private readonly uses: CredentialUses,
    private readonly refusals: CredentialRefusals,
  ) {
    this.keys = new FreshCache(clock, TTL, { capacity: CAPACITY });
    this.tokens = new FreshCache(clock, TTL, { capacity: CAPACITY, proof: db.feed });
    db.feed.on(['api_keys', 'scim_tokens'], (row) => (row === null ? this.dropAll() : this.drop(row.id)));
    this.unknownKeys = new CredentialLookups((tokens) => readApiKeys(db, tokens));
    this.unknownTokens = new CredentialLookups((tokens) => readScimTokens(db, tokens));
  }

  /**
   * The API key of a token.
   *
   * @throws {TooManyRequests} in place of null, when many wrong tokens of the same tenant came from this address
   */
  async findApiKey({ parsed: token }: PresentedToken, from?: CredentialOrigin): Promise<ApiKeyCredential | null> {
    if (token === null || token.kind !== 'tbk') return this.failed('', from);
    const found = await this.found(this.keys, token, this.unknownKeys, readApiKey, apiKeyOf);
    if (found === null || this.endOf(found) !== null) return this.failed(token.tenantId, from);
    this.uses.note('api_keys', token.tenantId, found.credential.keyId, null);
    return found.credential;
  }

  /**
   * The SCIM token of a text, and with it tenant and directory; the directory remembers a refusal and its reason.
   *
   * @throws {TooManyRequests} as `findApiKey`
   */
  async findScimToken(
    { parsed: token, text }: PresentedToken,
    from?: CredentialOrigin,
  ): Promise<ScimCredential | null> {
    if (token === null || token.kind !== 'tbs') {
      if (token === null) this.refusals.noteUnreadable(`Bearer ${text}`);
      else if (token.tenantId !== '') this.refusals.note(token.tenantId, null, 'not_a_scim_token', text);
      return this.failed('', from);
    }
    const found = await this.found(this.tokens, token, this.unknownTokens, readScimToken, scimTokenOf);
    const reason: CredentialRefusalReason | null = found === null ? 'unknown' : this.endOf(found);
    if (reason !== null) {
      this.refusals.note(token.tenantId, found?.credential.directoryId ?? null, reason, text);
      return this.failed(token.tenantId, from);
    }
    const { credential } = found!;
    this.uses.note('scim_tokens', token.tenantId, credential.tokenId, credential.directoryId);
    return credential;
  }

  /** A header without a bearer token was refused: the directories of the tenant that it names remember why. */
  noteUnreadable(header: string): void {
    this.refusals.noteUnreadable(header);
  }

  /** After a change of keys or tokens made here: resolves when no process goes by the old values. */
  forget(...credentialIds: string[]): Promise<void> {
    for (const id of credentialIds) this.drop(id);
    return this.db.feed.settled();
  }

  private drop(credentialId: string): void {
    const name = this.names.get(credentialId);
    this.names.delete(credentialId);
    for (const cache of [this.keys, this.tokens]) {
      // The name is learned from the row, which may be on its way.
      if (name === undefined) cache.dropLoading();
      else cache.drop(name);
    }
  }

  private dropAll(): void {
    this.names.clear();
    for (const cache of [this.keys, this.tokens]) cache.drop();
  }

  private async found<C, Row>(
    cache: FreshCache<Found<C> | null>,
    token: ParsedToken,
    unknown: CredentialLookups<Row>,
    readOne: (db: Database, token: ParsedToken) => Promise<Row | null>,
    make: (row: Row, tenantId: string) => Found<C> & { id: string },
  ): Promise<Found<C> | null> {
    const name = token.hash.toString('latin1');
    const load = async (row: Promise<Row | null>): Promise<Found<C> | null> => {
      const stored = await row;
      if (stored === null) return null;
      const made = make(stored, token.tenantId);
      this.remember(made.id, name);
      return made;
    };
    if (cache.knows(name)) {
      const known = await cache.get(name, () => load(readOne(this.db, token)));
      if (known === null) cache.drop(name);
      return known;
    }
    // Only what exists is kept: wrong tokens must not push valid ones out of the cache.
    const { drops } = cache;
    const made = await load(unknown.find(token));
    if (made !== null && !cache.knows(name) && cache.drops === drops) void cache.get(name, () => Promise.resolve(made));
    return made;
  }

  private remember(id: string, name: string): void {
    if (this.names.size >= 2 * CAPACITY && !this.names.has(id)) this.names.delete(this.names.keys().next().value!);
    this.names.set(id, name);
  }

  private endOf(found: Found<unknown>): CredentialRefusalReason | null {
    const now = this.clock.now().getTime();
    if (now >= found.revokedAt) return 'revoked';
    return now >= found.expiresAt ? 'expired' : null;
  }

  // Asked after the look-up: the tries that an address has used up never refuse a valid credential.
  private failed(tenantId: string, from: CredentialOrigin | undefined): null {
    if (from?.ip === undefined) return null;
    if (!this.tries.take(from.ip, tenantId))
      throw new TooManyRequests('Too many wrong credentials of this kind came from this address.', 10);
    return null;
  }
}

/** Credentials of each kind that are remembered; more than the busiest process has in use. */
const CAPACITY = 20_000;

function apiKeyOf(row: ApiKeyRow, tenantId: string): Found<ApiKeyCredential> & { id: string } {
  const { id, name } = row;
  const actor = Object.freeze<Actor>({ kind: 'key', id, name });
  return { id, credential: { tenantId, keyId: id, name, scopes: new Set(row.scopes), actor }, ...endsOf(row) };
}

function scimTokenOf(row: ScimTokenRow, tenantId: string): Found<ScimCredential> & { id: string } {
  const { id, name, directory_id: directoryId } = row;
  return { id, credential: { tenantId, tokenId: id, directoryId, name }, ...endsOf(row) };
}

function endsOf(row: Pick<ApiKeyRow, 'expires_at' | 'revoked_at'>): { expiresAt: number; revokedAt: number } {
  return {
    expiresAt: row.expires_at?.getTime() ?? Infinity,
    revokedAt: row.revoked_at?.getTime() ?? Infinity,
  };
}
