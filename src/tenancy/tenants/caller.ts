import type { IncomingMessage } from 'node:http';
import { createParamDecorator, applyDecorators, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import { PresentedToken } from '../../base/crypto/tokens.js';
import type { SqlRunner } from '../../base/database/database.js';
import type { AllowedNetworks } from '../../base/http/allowed-networks.js';
import type { BridgeRequest, Noted } from '../../base/http/request.js';
import type { Repeat } from '../idempotency/idempotency-keys.js';
import type { Actor, ChangeSource } from '../identity/person.js';
import type { ConsoleCredential } from './console-credentials.js';
import type { Scope, ScopeDemand } from './scopes.js';
import { MissingScope, SignInAgain, SeveralCredentials } from './tenants.errors.js';

/** The caller of the API. The credential decides the tenant, and the request cannot name another one. */
export interface Caller {
  /** '' for the operator, who belongs to no tenant. */
  readonly tenantId: string;
  /** The API key, or the session of the console. */
  readonly keyId: string;
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly actor: Actor;
  readonly requestId: string;
  /** The session of the console; undefined for a key or the operator's token. */
  readonly console?: ConsoleCredential;
  readonly networks?: AllowedNetworks;
  readonly repeat?: Repeat;
}

export type AuthenticatedRequest = BridgeRequest & { caller?: Caller };

/** Returns whether the caller holds a scope; `admin` includes all. */
export function holdsScope(caller: Pick<Caller, 'scopes'>, scope: Scope): boolean {
  return caller.scopes.has(scope) || caller.scopes.has('admin');
}

/** @throws {MissingScope} when the caller does not hold a scope that depends on the request */
export function demandScope(caller: Caller, scope: Scope): void {
  if (!holdsScope(caller, scope)) throw new MissingScope([[scope]]);
}

/** The caller of a write: of a request, or of the request that began a task. */
export type RequestedBy = Pick<Caller, 'tenantId' | 'actor' | 'requestId'>;

/** Returns the source of a change by a caller of the API. */
export function sourceOf(caller: RequestedBy): ChangeSource {
  return { request_id: caller.requestId, surface: 'api', directory_id: null, actor: caller.actor };
}

/** The caller that the guard has admitted. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new Error('a route asked for its caller without a guard');
  return caller;
});

/** The demand of a route: scopes, any credential of a tenant, any credential at all, or the operator's. */
export type Demand = ScopeDemand | 'any-key' | 'any-caller' | 'operator';

const DEMAND = Symbol('what a route demands of its caller');

/** The key of the scope in the documentation. */
export const DOCUMENTED_SCOPE = 'x-scope';

/** The route needs one of these scopes. */
export const RequireScope = (...scopes: [Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives(scopes.map((scope) => [scope]));

/** The route needs all of these scopes: it shows data of more than one room. */
export const RequireEveryScope = (...scopes: [Scope, Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives([scopes]);

const requireAlternatives = (demand: ScopeDemand): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(DEMAND, demand satisfies Demand), ApiExtension(DOCUMENTED_SCOPE, demand));

/** The route admits every credential of a tenant. */
export const NoScope = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-key' satisfies Demand);

/** The route admits every credential, also of an operator who has entered no tenant. */
export const AnyCaller = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-caller' satisfies Demand);

/** The route admits only the installation's operator. */
export const OperatorOnly = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'operator' satisfies Demand);

/** Returns the demand of a handler or its controller. */
export function demandOf(handler: object, controller: object): Demand | undefined {
  return (Reflect.getMetadata(DEMAND, handler) ?? Reflect.getMetadata(DEMAND, controller)) as Demand | undefined;
}

const RECENT = Symbol('whether a route needs a recent sign-in');

/** The key of the recent sign-in in the documentation. */
export const DOCUMENTED_RECENT = 'x-recent-sign-in';

/** The age of a sign-in that such an act of a console session admits. */
export const RECENT_SIGN_IN_MS = 600_000;

/**
 * The route shows or changes a secret, or a limit: a session of the console needs a sign-in of the last ten minutes.
 * Deletions always need one. Keys and tokens prove themselves in each request.
 */
export const RecentSignIn = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(RECENT, true), ApiExtension(DOCUMENTED_RECENT, true));

/** Returns whether an operation needs a recent sign-in. */
export function needsRecentSignIn(method: string, isMarked: boolean): boolean {
  return isMarked || method.toUpperCase() === 'DELETE';
}

/** @throws {SignInAgain} when the route needs a recent sign-in and that of a session is too old */
export function demandRecentSignInOf(context: ExecutionContext, method: string, caller: Caller, now: Date): void {
  if (caller.console === undefined) return;
  const marks = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(RECENT, target) === true,
  );
  if (needsRecentSignIn(method, marks.includes(true))) demandRecentSignIn(caller, now);
}

/** Returns why a new sign-in is not enough: the IdP has not authenticated the user, or does not state when. */
function wordsOfOldAuthentication(at: Date | null): string {
  if (at === null) {
    return (
      'This needs a sign-in of the last ten minutes, and your identity provider did not state when you authenticated there (auth_time). ' +
      'Sign in again. Where that does not help, the identity provider has to be set up to state it.'
    );
  }
  return (
    `This needs a sign-in of the last ten minutes, and your identity provider let you in without asking: you authenticated there at ${at.toISOString()}. ` +
    'Sign in again. Where it does not ask then either, sign out there first.'
  );
}

/** @throws {SignInAgain} when the sign-in of a session is too old, in routes where the need depends on the request */
export function demandRecentSignIn({ console }: Caller, now: Date): void {
  if (console === undefined) return;
  const { signedInAt, authenticatedAt } = console;
  const since = now.getTime() - RECENT_SIGN_IN_MS;
  if (authenticatedAt !== null && authenticatedAt.getTime() >= since) return;
  throw new SignInAgain(signedInAt.getTime() >= since ? wordsOfOldAuthentication(authenticatedAt) : undefined);
}

type Asked = IncomingMessage & { originalUrl: string } & Pick<Noted, 'presented'>;

/**
 * Returns the bearer token of a request, or null. Read and parsed once for each request.
 *
 * @throws {SeveralCredentials} when the request has more than one credential
 */
export function bearerToken(req: Asked): PresentedToken | null {
  if (req.presented === undefined) {
    const text = bearerText(req);
    req.presented = text === null ? null : new PresentedToken(text);
  }
  return req.presented;
}

/**
 * Node.js keeps the first of several Authorization headers, so the raw headers are counted. A second credential in the
 * query is refused as well.
 */
function bearerText(req: Asked): string | null {
  const header = req.headers.authorization;
  const inQuery = req.originalUrl.includes('access_token=');
  if (header === undefined) return null;
  if (inQuery || headerCount(req.rawHeaders) > 1) throw new SeveralCredentials();
  // "Bearer" in any case (RFC 9110 §11.1), then one token68 and nothing else.
  if (header.length < 8 || header.charCodeAt(6) !== 0x20 || header.slice(0, 6).toLowerCase() !== 'bearer') return null;
  const token = header.slice(7).trim();
  if (token.includes(',') && /\bbearer\b/i.test(token)) throw new SeveralCredentials();
  return token === '' ? null : token;
}

function headerCount(raw: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') count++;
  }
  return count;
}

/** A port: reads users for this room. */
export abstract class KnownUsers {
  /** The query that finds a user while the user is active; the arguments are SQL expressions. */
  abstract activeQuery(tenantId: string, userId: string): string;

  /** The query for the number of users that have a role; the arguments are SQL expressions. */
  abstract countQuery(tenantId: string, role: string): string;

  /** Returns whether a user of the tenant is active. The user stays active until the transaction ends. */
  abstract isActive(tx: SqlRunner, tenantId: string, userId: string): Promise<boolean>;
}
