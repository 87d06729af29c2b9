import type { Request, Response, NextFunction, RequestHandler } from 'express';
import type { Activity } from '../activity.js';
import type { PresentedToken } from '../crypto/tokens.js';
import { newId } from '../ids.js';

/** An operation of a Bulk request; for the logs. */
export interface OperationEffect {
  method: string;
  path: string;
  status: number;
  scimType: string | undefined;
  effect: RequestEffect | undefined;
}

/** The effect of an accepted request; for the logs. */
export interface RequestEffect {
  outcome: string;
  userId?: string;
  groupId?: string;
  /** Why the write is not in force; null when it is. */
  held?: string | null;
  linkedBy?: string;
  detail?: string;
  /** Of a Bulk request, in its order; undefined for an operation that was not run. */
  operations?: readonly (OperationEffect | undefined)[];
}

/** Data of a request beside Express's own. Only this service sets them, never the caller. */
export interface Noted {
  /** Also in `X-Request-Id`. */
  id: string;
  /** Monotonic, in milliseconds. */
  startedAt: number;
  /** The bearer token, once it was asked for; null without one. */
  presented?: PresentedToken | null;
  tenantId?: string;
  credentialId?: string;
  /** A valid credential, session or sign-in came with the request. Any caller can name a tenant. */
  proven?: true;
  directoryId?: string;
  /** Absent when the request was refused, or only read. */
  effect?: RequestEffect;
  refusal?: { readonly code: string; readonly scim_type?: string | undefined; readonly reason: string };
  /** Where the address needs the bytes (signature checks, values that are kept as sent, the log of requests). */
  rawBody?: Buffer;
}

/** A request with the data of this service. */
export type BridgeRequest = Request & Noted;

/** A response of Express. */
export type BridgeResponse = Response;

/** The path without the query, as the client sent it. */
export function pathOf(req: { originalUrl: string }): string {
  const url = req.originalUrl;
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Whether a path belongs to SCIM. */
export function isScimPath(path: string): boolean {
  return path.startsWith('/scim/') || path === '/scim';
}

/** The query as the client wrote it, without the question mark. Express changes it when it parses it. */
export function rawQuery({ originalUrl }: { originalUrl: string }): string {
  const mark = originalUrl.indexOf('?');
  return mark < 0 ? '' : originalUrl.slice(mark + 1);
}

type RequestEnd = (req: BridgeRequest, res: BridgeResponse) => void;

/** Requests of orchestrators and monitoring, which are no use of the service. */
export const PROBE = /^\/(healthz|readyz|metrics)/;

const TOO_MANY = 429;

/**
 * Returns the first middleware, so that every answer has an id and the security headers, errors and unknown addresses included.
 * The id is always new: a caller's own `X-Request-Id` could repeat, and the ledger keeps the id as evidence. `ended` is one
 * function for all requests, to avoid a closure for each. `activity` receives each request, and counts those that were worked
 * on for a known caller: a caller without a credential, or over its rate, must not slow down the forwarding.
 */
export function requestStart(
  headers: readonly (readonly [string, string])[],
  ended: RequestEnd | null,
  activity?: Activity,
): RequestHandler {
  const onClose = function (this: BridgeResponse): void {
    const req = this.req as BridgeRequest;
    if (req.proven === true && this.statusCode !== TOO_MANY) activity?.note();
    ended?.(req, this);
  };
  return (request, response, next: NextFunction) => {
    const req = request as BridgeRequest;
    const id = newId('req');
    req.id = id;
    req.startedAt = performance.now();
    if (!PROBE.test(request.url)) activity?.stir();
    response.setHeader('X-Request-Id', id);
    for (let i = 0; i < headers.length; i++) response.setHeader(headers[i]![0], headers[i]![1]);
    response.on('close', onClose);
    next();
  };
}

/** Ids that `newId` makes: they identify no user to a reader of the log. */
const OWN_ID = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}$/;

interface Routed {
  readonly route?: { readonly path?: unknown; readonly methods?: Readonly<Record<string, boolean>> };
  readonly params?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the part of a request's path that the log may contain: the pattern of its route, with ids of this service. Other
 * parts come from the caller: an e-mail as an external id, or a token in a mistyped address.
 *
 * @returns for example `/scim/v2/Users/usr_01k0…` or `/v1/users/by-external-id/:external_id`; `unmatched` without a route
 */
export function loggedPath(req: Routed): string {
  const { route, params } = req;
  // The handler that answers 404 is a route for all methods.
  if (typeof route?.path !== 'string' || route.methods?.['_all'] === true) return 'unmatched';
  if (!route.path.includes(':')) return route.path;
  return route.path.replace(/:(\w+)/g, (whole, name: string) => {
    const value = params?.[name];
    return typeof value === 'string' && OWN_ID.test(value) ? value : whole;
  });
}
