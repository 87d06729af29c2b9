import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  applyDecorators,
  Controller,
  UseGuards,
  UsePipes,
} from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../base/clock.js';
import { Config } from '../../base/config/config.js';
import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import { demandAcceptable } from '../../base/http/answer.js';
import { ApiProblems } from '../../base/http/api-answers.js';
import { proveCaller } from '../../base/http/connection-bound.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import { limitRate, RateLimiter, FailedTries } from '../../base/http/rate-limit.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { ValidateBody } from '../../base/http/validate.js';
import { Idempotency } from '../idempotency/idempotency-keys.js';
import { OPERATOR } from '../identity/person.js';
import { ApiKeyStore } from './api-key.store.js';
import {
  bearerToken,
  demandRecentSignInOf,
  demandOf,
  type AuthenticatedRequest,
  type Caller,
  type Demand,
  OperatorOnly,
} from './caller.js';
import { ConsoleCredentials, scopesOf } from './console-credentials.js';
import { demandNothingEntered } from './operator-acts.js';
import type { ScopeDemand } from './scopes.js';
import { passesExhausted } from './storage/storage.errors.js';
import { addsData } from './storage/storage.rules.js';
import { TenantStorage } from './storage/tenant-storage.js';
import { TenantAddresses } from './tenant-addresses.js';
import { MissingScope, NoTenantEntered, OutsideAllowFrom, Unauthenticated, OperatorNeeded } from './tenants.errors.js';

const API_TYPES = ['application/json', 'application/problem+json', 'text/csv', 'application/x-ndjson'] as const;

/**
 * Guards the API: checks the API key or the session of the console, rate, scope and storage, in that order, then the
 * Idempotency-Key of a POST.
 */
@Injectable()
class ApiKeyGuard implements CanActivate {
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

const NO_SCOPES: ReadonlySet<string> = new Set();

/**
 * Guards the administration of the installation: for the operator's token, and for the operator's session of the
 * console.
 */
@Injectable()
class OperatorGuard implements CanActivate {
  private readonly hash: Buffer;

  constructor(
    config: Config,
    private readonly tries: FailedTries,
    private readonly limiter: RateLimiter,
    private readonly consoles: ConsoleCredentials,
    private readonly clock: Clock,
  ) {
    this.hash = hashToken(config.operatorToken);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const req = http.getRequest<AuthenticatedRequest>();
    const session = await this.consoles.of(req);
    if (session === null) this.demandToken(req);
    else if (session.role !== 'operator') throw new OperatorNeeded();
    const keyId = session?.id ?? 'operator';
    limitRate(this.limiter, http.getResponse<BridgeResponse>(), keyId, null);
    req.credentialId = keyId;
    proveCaller(req);
    const caller = { tenantId: '', keyId, name: 'operator', scopes: NO_SCOPES, actor: OPERATOR, requestId: req.id };
    req.caller = session === null ? caller : { ...caller, console: session };
    demandNothingEntered(context, req.method, req.caller);
    demandRecentSignInOf(context, req.method, req.caller, this.clock.now());
    return true;
  }

  private demandToken(req: AuthenticatedRequest): void {
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    if (sameHash(token.hash, this.hash)) return;
    if (!this.tries.take(req.ip ?? '', 'operator')) {
      throw new TooManyRequests('Too many wrong credentials came from this address.', 10);
    }
    // States only that the key is of a kind without access, not whether the key is valid.
    if (token.parsed?.kind === 'tbk') throw new OperatorNeeded();
    throw new Unauthenticated('invalid');
  }
}

interface ApiControllerOptions {
  /** Also below `/api` without a version, as the oldest resources. */
  unversioned?: boolean;
  /** The heading in the documentation; the path unless set. */
  tag?: string;
}

/** Returns the paths of a resource: `/api/v1/x`, `/v1/x`, and for the oldest ones `/api/x`. */
function apiPaths(path: string, unversioned = false): string[] {
  return [`api/v1/${path}`, `v1/${path}`, ...(unversioned ? [`api/${path}`] : [])];
}

/** A controller of the API: its addresses, guard, validation, and place in the documentation. */
export function ApiController(path: string, options: ApiControllerOptions = {}): ClassDecorator {
  return applyDecorators(
    Controller(apiPaths(path, options.unversioned)),
    UseGuards(ApiKeyGuard),
    UsePipes(ValidateBody),
    ApiTags(options.tag ?? path),
    ApiBearerAuth('api_key'),
    ApiProblems(),
  );
}

/** A controller of the installation's own administration. */
export function OperatorController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(apiPaths(path)),
    UseGuards(OperatorGuard),
    UsePipes(ValidateBody),
    OperatorOnly(),
    ApiTags(path),
    ApiBearerAuth('operator_token'),
    ApiProblems(),
  );
}
