import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { proveCaller } from '../../base/http/connection-bound.js';
import { demandAcceptable } from '../../base/http/answer.js';
import { Idempotency } from '../idempotency/idempotency-keys.js';
import { limitRate, RateLimiter } from '../../base/http/rate-limit.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { bearerToken } from './bearer.js';
import { demandRecentSignInOf, demandOf, type AuthenticatedRequest, type Caller, type Demand } from './caller.js';
import { ApiKeyStore } from './api-key.store.js';
import { ConsoleCredentials, scopesOf } from './console-credentials.js';
import type { ScopeDemand } from './scopes.js';
import { passesExhausted } from './storage/even-when-exhausted.js';
import { addsData } from './storage/storage.rules.js';
import { TenantStorage } from './storage/tenant-storage.js';
import { TenantAddresses } from './tenant-addresses.js';
import { MissingScope, NoTenantEntered, OutsideAllowFrom, Unauthenticated } from './tenants.errors.js';

/** What the API answers with: records, and the exports of lists. */
const API_TYPES = ['application/json', 'application/problem+json', 'text/csv', 'application/x-ndjson'] as const;

/**
 * Guards the API: checks the API key or the session of the console, rate, scope and storage, in that order; then the
 * Idempotency-Key of a POST.
 */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly limiter: RateLimiter,
    private readonly idempotency: Idempotency,
    private readonly addresses: TenantAddresses,
    private readonly storage: TenantStorage,
    private readonly consoles: ConsoleCredentials,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<AuthenticatedRequest>();
    const res = http.getResponse<BridgeResponse>();
    const demand = declared(context);
    const caller = (await this.bySession(req)) ?? (await this.byKey(req));
    const { tenantId, keyId } = caller;
    await this.addresses.demandOwn(req, tenantId);
    req.tenantId = tenantId;
    req.credentialId = keyId;
    proveCaller(req);
    limitRate(this.limiter, res, keyId, tenantId === '' ? null : tenantId);
    if (tenantId === '' && demand !== 'any-caller') throw new NoTenantEntered();
    const scopes = typeof demand === 'string' ? [] : demand.flat();
    if (typeof demand !== 'string') demandScopes(caller.scopes, demand);
    demandRecentSignInOf(context, req.method, caller, this.clock.now());
    demandAcceptable(req.headers.accept, ...API_TYPES);
    if (addsData(req.method, scopes, passesExhausted(context.getHandler()))) this.storage.demandRoom(tenantId);
    const repeat = await this.idempotency.begin(req, res, tenantId, keyId);
    req.caller = repeat === undefined ? caller : { ...caller, repeat };
    return true;
  }

  private async bySession(req: AuthenticatedRequest): Promise<Caller | null> {
    const session = await this.consoles.of(req);
    if (session === null) return null;
    const { id: keyId, tenantId, actor } = session;
    return { tenantId, keyId, name: actor.name, scopes: scopesOf(session), actor, requestId: req.id, console: session };
  }

  private async byKey(req: AuthenticatedRequest): Promise<Caller> {
    const token = bearerToken(req);
    const form = { header: req.headers.authorization, kind: 'tbk' } as const;
    if (token === null) throw new Unauthenticated('missing', form);
    const key = await this.keys.find(token, req);
    if (key === null) throw new Unauthenticated('invalid', form);
    const { tenantId, keyId, name, scopes, actor, networks } = key;
    if (!networks.admits(req.ip)) {
      req.tenantId = tenantId;
      req.credentialId = keyId;
      this.keys.noteOutside(key, req.ip);
      throw new OutsideAllowFrom();
    }
    return { tenantId, keyId, name, scopes, actor, requestId: req.id, networks };
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
