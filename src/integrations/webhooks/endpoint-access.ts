import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import type { Endpoint } from './endpoint.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointsRepository } from './endpoints.repository.js';

/**
 * Which endpoints a caller sees and changes: those of its own key and of the keys that this one replaced; with `admin`, all.
 * `webhooks:read` sees all of them and changes none.
 */
@Injectable()
export class EndpointAccess {
  constructor(
    private readonly store: EndpointStore,
    private readonly repository: EndpointsRepository,
  ) {}

  /** Returns the endpoints that the caller sees, oldest first. */
  async all(caller: Caller, db?: SqlRunner): Promise<readonly Endpoint[]> {
    const endpoints = await this.store.fresh(caller.tenantId, db);
    if (caller.scopes.has('admin') || endpoints.length === 0) return endpoints;
    const own = endpoints.filter(({ keyId }) => keyId === caller.keyId);
    if (own.length === endpoints.length) return own;
    const keys = await this.repository.keysBefore(caller.tenantId, caller.keyId, db);
    return endpoints.filter(({ keyId }) => keyId !== null && keys.has(keyId));
  }

  /**
   * Returns an endpoint.
   *
   * @throws {NotFound} when the tenant has no such endpoint, and for one of another key
   */
  async one(caller: Caller, id: string, db?: SqlRunner): Promise<Endpoint> {
    return demanded(await this.all(caller, db), id);
  }

  /** Returns the endpoints that the caller may read. */
  async readable(caller: Caller): Promise<readonly Endpoint[]> {
    return caller.scopes.has('webhooks:read') ? this.store.fresh(caller.tenantId) : this.all(caller);
  }

  /**
   * Returns an endpoint that the caller may read.
   *
   * @throws {NotFound} when the tenant has no such endpoint, and for one of another key
   */
  async toRead(caller: Caller, id: string): Promise<Endpoint> {
    return demanded(await this.readable(caller), id);
  }

  /** An endpoint that the caller may change, locked until the end of the transaction. */
  async locked(tx: SqlRunner, caller: Caller, id: string): Promise<Endpoint> {
    await this.repository.lock(tx, caller.tenantId, id);
    return this.one(caller, id, tx);
  }
}

function demanded(endpoints: readonly Endpoint[], id: string): Endpoint {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (found === undefined) throw new NotFound('webhook endpoint');
  return found;
}
