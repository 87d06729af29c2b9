import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { NotFound } from '../../base/errors/domain-error.js';
import type { Caller } from '../../tenancy/tenants/caller.js';
import type { Endpoint } from './endpoint.js';
import { EndpointStore } from './endpoint.store.js';
import { EndpointsRepository } from './endpoints.repository.js';

/** Which endpoints a caller sees: those of its own key and of the keys that this one replaced; with `admin`, all. */
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
    const found = (await this.all(caller, db)).find((endpoint) => endpoint.id === id);
    if (found === undefined) throw new NotFound('webhook endpoint');
    return found;
  }

  /** The same, locked until the end of the transaction. */
  async locked(tx: SqlRunner, caller: Caller, id: string): Promise<Endpoint> {
    await this.repository.lock(tx, caller.tenantId, id);
    return this.one(caller, id, tx);
  }
}
