import type { NextFunction, RequestHandler } from 'express';
import type { Activity } from '../activity.js';
import { newId } from '../ids.js';
import type { BridgeRequest, BridgeResponse } from './request.js';

/** Called when an answer is sent, or when the caller has gone away before. */
export type RequestEnd = (req: BridgeRequest, res: BridgeResponse) => void;

/** Requests of orchestrators and monitoring. They say nothing about whether the service is used. */
export const PROBE = /^\/(healthz|readyz|metrics)/;

/**
 * Returns the first middleware, so that every answer has an id and the security headers, errors and unknown addresses
 * included. The id is always new: a caller's own `X-Request-Id` could repeat, and the ledger keeps the id as evidence.
 * `ended` is one function for all requests, to avoid a closure for each. `activity` counts the requests.
 */
export function requestStart(
  headers: readonly (readonly [string, string])[],
  ended: RequestEnd | null,
  activity?: Activity,
): RequestHandler {
  const onClose = function (this: BridgeResponse): void {
    ended!(this.req as BridgeRequest, this);
  };
  return (request, response, next: NextFunction) => {
    const req = request as BridgeRequest;
    const id = newId('req');
    req.id = id;
    req.startedAt = performance.now();
    if (!PROBE.test(request.url)) activity?.note();
    response.setHeader('X-Request-Id', id);
    for (let i = 0; i < headers.length; i++) response.setHeader(headers[i]![0], headers[i]![1]);
    if (ended !== null) response.on('close', onClose);
    next();
  };
}
