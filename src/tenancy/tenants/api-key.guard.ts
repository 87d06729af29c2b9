import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { proveCaller } from '../../base/http/connection-bound.js';
import { demandAcceptable } from '../../base/http/accept.js';
import { Idempotency } from './idempotency.js';
import { limitRate, RateLimiter } from '../../base/http/rate-limit.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { bearerToken } from './bearer.js';
import type { AuthenticatedRequest } from './caller.js';
import { ApiKeyStore } from './api-key.store.js';
import { demandOf, type Demand, type ScopeDemand } from './require-scope.js';
import { passesExhausted } from './storage/even-when-exhausted.js';
import { addsData } from './storage/storage.rules.js';
import { TenantStorage } from './storage/tenant-storage.js';
import { TenantAddresses } from './tenant-addresses.js';
import { MissingScope, Unauthenticated } from './tenants.errors.js';

/** What the API answers with: records, and the exports of lists. */
const API_TYPES = ['application/json', 'application/problem+json', 'text/csv', 'application/x-ndjson'] as const;

/** Guards the API: checks key, rate, scope and storage, in that order; then the Idempotency-Key of a POST. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly limiter: RateLimiter,
    private readonly idempotency: Idempotency,
    private readonly addresses: TenantAddresses,
    private readonly storage: TenantStorage,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<AuthenticatedRequest>();
    const res = http.getResponse<BridgeResponse>();
    const demand = declared(context);
    const token = bearerToken(req);
    const form = { header: req.headers.authorization, kind: 'tbk' } as const;
    if (token === null) throw new Unauthenticated('missing', form);
    const key = await this.keys.find(token, req);
    if (key === null) throw new Unauthenticated('invalid', form);
    await this.addresses.demandOwn(req, key.tenantId);
    req.tenantId = key.tenantId;
    req.credentialId = key.keyId;
    proveCaller(req);
    limitRate(this.limiter, res, key.keyId, key.tenantId);
    if (demand !== 'any-key') demandScopes(key.scopes, demand);
    demandAcceptable(req.headers.accept, ...API_TYPES);
    const scopes = demand === 'any-key' ? [] : demand.flat();
    if (addsData(req.method, scopes, passesExhausted(context.getHandler()))) this.storage.demandRoom(key.tenantId);
    req.caller = {
      tenantId: key.tenantId,
      keyId: key.keyId,
      name: key.name,
      scopes: key.scopes,
      actor: key.actor,
      requestId: req.id,
    };
    await this.idempotency.begin(req, res, key.tenantId, key.keyId);
    return true;
  }
}

function demandScopes(held: ReadonlySet<string>, demand: ScopeDemand): void {
  if (held.has('admin')) return;
  const missing = demand.map((together) => together.filter((scope) => !held.has(scope)));
  if (missing.every((scopes) => scopes.length > 0)) throw new MissingScope(missing);
}

// A route without a declared scope is closed to every key: a forgotten line must not open it.
function declared(context: ExecutionContext): Exclude<Demand, 'operator'> {
  const demand = demandOf(context.getHandler(), context.getClass());
  if (demand === undefined || demand === 'operator') {
    throw new Error(`${context.getClass().name}.${context.getHandler().name} declares no scope`);
  }
  return demand;
}
