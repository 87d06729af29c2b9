import type { Request, Response } from 'express';

/** What the doors note on a request, beside what Express has. All of it is set by us, none of it by the caller. */
export interface Noted {
  /** Our id of this request; also in `X-Request-Id`. */
  id: string;
  /** Monotonic milliseconds of its arrival. */
  startedAt: number;
  /** Whose request it turned out to be; for the log. */
  tenantId?: string;
  credentialId?: string;
  directoryId?: string;
  /** What the write linked a user by. */
  link?: string;
  /** Why it was refused; for the log. */
  refusal?: { readonly code: string; readonly scim_type?: string | undefined; readonly reason: string };
  /** The bytes of the body, where the path asks for them (signature checks). */
  rawBody?: Buffer;
}

export type BridgeRequest = Request & Noted;
export type BridgeResponse = Response;

/** The path without the query, as it came. */
export function pathOf(req: { originalUrl: string }): string {
  const url = req.originalUrl;
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** Whether a path is the SCIM door's. */
export function isScimPath(path: string): boolean {
  return path.startsWith('/scim/') || path === '/scim';
}

/** The query of a request as it was written, without the mark: what Express makes of it is no longer that. */
export function rawQuery({ originalUrl }: { originalUrl: string }): string {
  const mark = originalUrl.indexOf('?');
  return mark < 0 ? '' : originalUrl.slice(mark + 1);
}
