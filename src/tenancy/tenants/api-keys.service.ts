import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { mintToken } from '../../base/crypto/tokens.js';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { allowFromProblems, type AllowedNetworks } from '../../base/http/allowed-networks.js';
import type { PageRequest } from '../../base/http/page.js';
import { newId } from '../../base/ids.js';
import { once, type Repeat } from '../idempotency/idempotency-keys.js';
import type { Actor } from '../identity/person.js';
import { ApiKeyStore } from './api-key.store.js';
import { TenantsRepository } from './tenants.repository.js';
import { AuditService } from './audit/audit.service.js';
import { API_KEYS_CAP, demandRoom } from './caps.js';
import { expiryProblem, rotatedExpiry } from './credentials.rules.js';
import { KnownUsers } from './caller.js';
import type { ApiKeyBody, ChangeApiKey, NewApiKeyBody, RotateCredential } from './tenants.dto.js';
import { CredentialEnded } from './tenants.errors.js';
import { MakerEnding, type LeftEndpoint } from './tenants.events.js';

const DEFAULT_OVERLAP_SECONDS = 86_400;

interface NewApiKey {
  name: string;
  scopes: readonly string[];
  expires_at?: Date | null;
  owner_user_id?: string | null;
  allow_from?: readonly string[];
}

interface By {
  actor: Actor;
  requestId: string | null;
  reason?: string;
  /** The networks of the key that makes the request: a new key admits no others. */
  networks?: AllowedNetworks;
  repeat?: Repeat;
}

/** Makes, rotates and revokes API keys. */
@Injectable()
export class ApiKeysService {
  constructor(
    private readonly db: Database,
    private readonly repository: TenantsRepository,
    private readonly users: KnownUsers,
    private readonly audit: AuditService,
    private readonly store: ApiKeyStore,
    private readonly clock: Clock,
    private readonly events: DomainEvents,
  ) {}

  /** Returns a new key. Only this answer shows its secret. */
  create(tenantId: string, input: NewApiKey, by: By): Promise<NewApiKeyBody> {
    return once(this.db, { tenantId, repeat: by.repeat }, (tx) => this.createIn(tx, tenantId, input, by));
  }

  async createIn(
    tx: SqlRunner,
    tenantId: string,
    input: NewApiKey,
    by: By,
    replacesId: string | null = null,
  ): Promise<NewApiKeyBody> {
    const expiresAt = input.expires_at ?? null;
    const problem = expiresAt === null ? null : expiryProblem(expiresAt, this.clock.now());
    if (problem !== null) throw new InvalidFields([{ field: 'expires_at', message: problem }]);
    const allowFrom = input.allow_from ?? by.networks?.networks ?? [];
    demandNetworks(allowFrom, by);
    // A key that a user makes in a session is personal, unless the request makes it a service's.
    const ownerUserId = input.owner_user_id === undefined ? userOf(by.actor) : input.owner_user_id;
    if (ownerUserId !== null && !(await this.users.isActive(tx, tenantId, ownerUserId))) {
      throw new InvalidFields([{ field: 'owner_user_id', message: 'must be an active user of the tenant' }]);
    }
    await demandRoom(tx, API_KEYS_CAP, tenantId);
    const minted = mintToken('tbk', tenantId);
    const id = newId('key');
    await this.repository.insertKey(tx, {
      tenantId,
      id,
      name: input.name,
      prefix: minted.prefix,
      hash: minted.hash,
      scopes: input.scopes,
      ownerUserId,
      createdBy: by.actor,
      expiresAt,
      replacesId,
      allowFrom,
    });
    const key = (await this.repository.findKey(tenantId, id, tx))!;
    await this.note(tx, tenantId, 'api_key.created', key, by);
    return { ...key, api_key: minted.token };
  }

  list(tenantId: string, page: PageRequest): Promise<ApiKeyBody[]> {
    return this.repository.listKeys(tenantId, page);
  }

  async get(tenantId: string, id: string, db?: SqlRunner): Promise<ApiKeyBody> {
    const key = await this.repository.findKey(tenantId, id, db);
    if (key === null) throw new NotFound('API key');
    return key;
  }

  /** Returns the ids of keys by user. `remaining`: the users stay active; personal keys end with their users. */
  async goingOn(
    tenantId: string,
    userIds: readonly string[],
    remaining: boolean,
    db?: SqlRunner,
  ): Promise<ReadonlyMap<string, string[]>> {
    const keys = new Map<string, string[]>(userIds.map((id) => [id, []]));
    for (const { id, owner_user_id: owner, maker } of await this.repository.keysOfUsers(tenantId, userIds, db)) {
      if (owner === null || remaining) keys.get((owner ?? maker)!)!.push(id);
    }
    return keys;
  }

  /**
   * Changes the name or the networks of a key, on every process within a second.
   *
   * @throws {CredentialEnded} when the key has ended
   */
  async change(tenantId: string, id: string, input: ChangeApiKey, by: By): Promise<ApiKeyBody> {
    const changed = await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.repository.lockKey(tx, tenantId, id))) throw new NotFound('API key');
      const before = await this.get(tenantId, id, tx);
      const now = this.clock.now();
      if ([before.revoked_at, before.expires_at].some((end) => end !== null && end <= now)) throw new CredentialEnded();
      const { name = before.name, allow_from = before.allow_from } = input;
      if (input.allow_from !== undefined) demandNetworks(allow_from, by);
      await this.repository.updateKey(tx, tenantId, id, { name, allow_from });
      const key = await this.get(tenantId, id, tx);
      await this.note(tx, tenantId, 'api_key.changed', key, by, before);
      return key;
    });
    await this.store.forget(id);
    return changed;
  }

  /**
   * Replaces a key, which stays valid for the overlap. The new key has the same lifetime, unless the request has
   * another end.
   *
   * @throws {CredentialEnded} when the old key has ended
   */
  async rotate(tenantId: string, id: string, input: RotateCredential, by: By): Promise<NewApiKeyBody> {
    const key = await once(this.db, { tenantId, repeat: by.repeat }, async (tx) => {
      if (!(await this.repository.lockKey(tx, tenantId, id))) throw new NotFound('API key');
      const old = await this.get(tenantId, id, tx);
      const now = this.clock.now();
      if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now)) {
        throw new CredentialEnded();
      }
      // First, so that the old key does not count towards the limit.
      await this.repository.revokeKey(tx, tenantId, id, input.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS);
      const expiresAt = rotatedExpiry(old, input.expires_at, now);
      const next = await this.createIn(
        tx,
        tenantId,
        {
          name: old.name,
          scopes: old.scopes,
          expires_at: expiresAt,
          owner_user_id: old.owner_user_id,
          allow_from: old.allow_from,
        },
        by,
        id,
      );
      await this.note(tx, tenantId, 'api_key.rotated', await this.get(tenantId, id, tx), by, old);
      return next;
    });
    await this.store.forget(id);
    return key;
  }

  /**
   * Ends a key at once, on every process within a second.
   *
   * @param pause the webhook endpoints that the key made are paused
   * @returns these endpoints
   */
  async revoke(tenantId: string, id: string, by: By, pause: boolean): Promise<LeftEndpoint[]> {
    const ended = await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.repository.lockKey(tx, tenantId, id))) throw new NotFound('API key');
      const before = await this.get(tenantId, id, tx);
      if (before.revoked_at !== null && before.revoked_at.getTime() <= this.clock.now().getTime()) return [];
      await this.repository.revokeKey(tx, tenantId, id, 0);
      await this.note(tx, tenantId, 'api_key.revoked', await this.get(tenantId, id, tx), by, before);
      const ending = new MakerEnding(tx, { tenantId, actor: by.actor, requestId: by.requestId }, { keyId: id }, pause);
      await this.events.publish(ending);
      return ending.endpoints;
    });
    await this.store.forget(id);
    return ended;
  }

  private note(
    tx: SqlRunner,
    tenantId: string,
    action: string,
    key: ApiKeyBody,
    by: By,
    before?: ApiKeyBody,
  ): Promise<void> {
    return this.audit.record(tx, {
      tenantId,
      ...by,
      action,
      targetType: 'api_key',
      targetId: key.id,
      before: before && noted(before),
      after: noted(key),
    });
  }
}

/** Leaves out the address of a refused request, which is personal data. */
function noted({ last_refusal: _, ...key }: ApiKeyBody): Omit<ApiKeyBody, 'last_refusal'> {
  return key;
}

function userOf({ kind, id }: Actor): string | null {
  return kind === 'user' ? id : null;
}

function demandNetworks(allowFrom: readonly string[], { networks }: By): void {
  const problems = allowFromProblems(allowFrom, networks);
  if (problems.length > 0) throw new InvalidFields(problems);
}
