import type { BridgeRequest } from '../../base/http/request.js';
import type { Actor, ChangeSource } from '../identity/source.js';
import { MissingScope } from './tenants.errors.js';
import type { ConsoleCredential } from './console-credentials.js';
import type { Scope } from './scopes.js';

/** Who calls the API: the credential decides the tenant, and nothing in the request can name another one. */
export interface Caller {
  /** '' for the operator, who belongs to no tenant. */
  readonly tenantId: string;
  /** The API key, or the session of the console. */
  readonly keyId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly actor: Actor;
  readonly requestId: string;
  /** The session of the console that the request came with; undefined: a key or the operator's token. */
  readonly console?: ConsoleCredential;
}

/** A request with the caller that its credential names. */
export type AuthenticatedRequest = BridgeRequest & { caller?: Caller };

/** Whether the caller holds a scope; `admin` holds them all. */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin');
}

/**
 * Demands a scope, on routes whose scope depends on the request.
 *
 * @throws {MissingScope} naming the scope, when the caller does not hold it
 */
export function demandScope(caller: Caller, scope: Scope): void {
  if (!holdsScope(caller, scope)) throw new MissingScope([[scope]]);
}

/** What a write has to know of its caller: a request's, or the one who began a task. */
export type RequestedBy = Pick<Caller, 'tenantId' | 'actor' | 'requestId'>;

/** What a change of this caller's says about where it came from. */
export function sourceOf(caller: RequestedBy): ChangeSource {
  return { request_id: caller.requestId, surface: 'api', directory_id: null, actor: caller.actor };
}
