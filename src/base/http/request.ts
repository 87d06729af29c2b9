import type { Request, Response } from 'express';
import type { PresentedToken } from '../crypto/tokens.js';

/** An operation of a Bulk request; for the logs. */
export interface OperationEffect {
  method: string;
  path: string;
  status: number;
  scimType: string | undefined;
  effect: RequestEffect | undefined;
}

/** What an accepted request did; for the logs. */
export interface RequestEffect {
  outcome: string;
  userId?: string;
  groupId?: string;
  /** Why the write is not in force; null: it is. */
  held?: string | null;
  /** The attribute by which the write linked a user. */
  linkedBy?: string;
  detail?: string;
  /** Those of a Bulk request, in the order of the request; undefined: it was not run. */
  operations?: readonly (OperationEffect | undefined)[];
}

/** Data of a request beside Express's own. Only this service sets them, never the caller. */
export interface Noted {
  /** The id of the request; also in `X-Request-Id`. */
  id: string;
  /** The monotonic time of its arrival in milliseconds. */
  startedAt: number;
  /** The bearer token, once it was asked for; null: there is none. */
  presented?: PresentedToken | null;
  /** The tenant of the credential; for the log. */
  tenantId?: string;
  credentialId?: string;
  /** A valid credential, session or sign-in came with it. A tenant alone can be named by any caller. */
  proven?: true;
  directoryId?: string;
  /** Undefined: the request was refused, or only read. */
  effect?: RequestEffect;
  /** The refusal; for the log. */
  refusal?: { readonly code: string; readonly scim_type?: string | undefined; readonly reason: string };
  /** The bytes of the body, where the address needs them (signature checks, values that are kept as sent, the log of requests). */
  rawBody?: Buffer;
}

/** A request with the data of this service. */
export type BridgeRequest = Request & Noted;

/** A response of Express. */
export type BridgeResponse = Response;

/** Returns the path without the query, as the client sent it. */
export function pathOf(req: { originalUrl: string }): string {
  const url = req.originalUrl;
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Returns whether a path belongs to SCIM. */
export function isScimPath(path: string): boolean {
  return path.startsWith('/scim/') || path === '/scim';
}

/** Returns the query as the client wrote it, without the question mark. Express changes it when it parses it. */
export function rawQuery({ originalUrl }: { originalUrl: string }): string {
  const mark = originalUrl.indexOf('?');
  return mark < 0 ? '' : originalUrl.slice(mark + 1);
}
