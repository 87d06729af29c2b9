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
  /** The networks that the API key is held to. */
  readonly networks?: AllowedNetworks;
  /** The request has an Idempotency-Key. */
  readonly repeat?: Repeat;
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

/** The caller that the guard let in. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new Error('a route asked for its caller without a guard');
  return caller;
});

/** What a route demands: scopes, any credential of a tenant, any credential at all, or the operator's. */
export type Demand = ScopeDemand | 'any-key' | 'any-caller' | 'operator';

const DEMAND = Symbol('what a route demands of its caller');

/** Where the documentation finds the scope. */
export const DOCUMENTED_SCOPE = 'x-scope';

/** The route is for keys with one of these scopes. */
export const RequireScope = (...scopes: [Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives(scopes.map((scope) => [scope]));

/** The route is for keys with all of these scopes: what it shows belongs to more than one room. */
export const RequireEveryScope = (...scopes: [Scope, Scope, ...Scope[]]): MethodDecorator & ClassDecorator =>
  requireAlternatives([scopes]);

const requireAlternatives = (demand: ScopeDemand): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(DEMAND, demand satisfies Demand), ApiExtension(DOCUMENTED_SCOPE, demand));

/** The route is for every credential of a tenant. */
export const NoScope = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-key' satisfies Demand);

/** The route is for every credential, also for an operator who has entered no tenant. */
export const AnyCaller = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'any-caller' satisfies Demand);

/** The route is for the installation's operator. */
export const OperatorOnly = (): MethodDecorator & ClassDecorator => SetMetadata(DEMAND, 'operator' satisfies Demand);

/** Returns the scopes that a handler or its controller declares; undefined: none are declared. */
export function demandOf(handler: object, controller: object): Demand | undefined {
  return (Reflect.getMetadata(DEMAND, handler) ?? Reflect.getMetadata(DEMAND, controller)) as Demand | undefined;
}

const RECENT = Symbol('whether a route needs a recent sign-in');

/** Where the documentation finds that an operation needs a recent sign-in. */
export const DOCUMENTED_RECENT = 'x-recent-sign-in';

/** How old the sign-in of a session of the console may be for such an act, in milliseconds. */
export const RECENT_SIGN_IN_MS = 600_000;

/**
 * The route shows or changes a secret, or a limit: a session of the console needs a sign-in of the last ten minutes.
 * Deletions need it without this line. Keys and tokens prove themselves in each request.
 */
export const RecentSignIn = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(RECENT, true), ApiExtension(DOCUMENTED_RECENT, true));

/** Returns whether an operation needs a recent sign-in. */
export function needsRecentSignIn(method: string, isMarked: boolean): boolean {
  return isMarked || method.toUpperCase() === 'DELETE';
}

/**
 * Demands a recent sign-in where the route needs one.
 *
 * @throws {SignInAgain} when the sign-in of a session is too old
 */
export function demandRecentSignInOf(context: ExecutionContext, method: string, caller: Caller, now: Date): void {
  if (caller.console === undefined) return;
  const marks = [context.getHandler(), context.getClass()].map(
    (target) => Reflect.getMetadata(RECENT, target) === true,
  );
  if (needsRecentSignIn(method, marks.includes(true))) demandRecentSignIn(caller, now);
}

/** Says why a new sign-in is not enough: the IdP has not authenticated the user, or does not state when. */
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

/**
 * Demands a recent sign-in, in routes where the need depends on the request.
 *
 * @throws {SignInAgain} when the sign-in of a session is too old
 */
export function demandRecentSignIn({ console }: Caller, now: Date): void {
  if (console === undefined) return;
  const { signedInAt, authenticatedAt } = console;
  const since = now.getTime() - RECENT_SIGN_IN_MS;
  if (authenticatedAt !== null && authenticatedAt.getTime() >= since) return;
  throw new SignInAgain(signedInAt.getTime() >= since ? wordsOfOldAuthentication(authenticatedAt) : undefined);
}

type Asked = IncomingMessage & { originalUrl: string } & Pick<Noted, 'presented'>;

/**
 * Returns the bearer token of a request, or null. It is read once, and parsed once.
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
 * The text of the bearer token. Node keeps the first of several Authorization headers and drops the others
 * without a word, so they are counted in what really came; a second credential in the query is refused as well.
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

/** A port: what this room asks about the users of a tenant. The room that keeps the users implements it. */
export abstract class KnownUsers {
  /** Returns the query that finds a user while the user is active; the arguments are SQL expressions. */
  abstract activeQuery(tenantId: string, userId: string): string;

  /** Returns the query for the number of users that have a role; the arguments are SQL expressions. */
  abstract countQuery(tenantId: string, role: string): string;

  /** Whether a user of the tenant is active. The user stays so until the transaction ends. */
  abstract isActive(tx: SqlRunner, tenantId: string, userId: string): Promise<boolean>;
}
