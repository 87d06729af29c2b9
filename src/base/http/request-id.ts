import type { NextFunction, RequestHandler } from 'express';
import type { Activity } from '../activity.js';
import { newId } from '../ids.js';
import type { BridgeRequest, BridgeResponse } from './request.js';

/** Called when an answer is sent, or when the caller has gone away before. */
export type RequestEnd = (req: BridgeRequest, res: BridgeResponse) => void;

/** Requests of orchestrators and monitoring. They say nothing about whether the service is used. */
export const PROBE = /^\/(healthz|readyz|metrics)/;

const TOO_MANY = 429;

/**
 * Returns the first middleware, so that every answer has an id and the security headers, errors and unknown addresses
 * included. The id is always new: a caller's own `X-Request-Id` could repeat, and the ledger keeps the id as evidence.
 * `ended` is one function for all requests, to avoid a closure for each. `activity` receives each request, and counts those
 * that were worked on for a known caller: who has no credential, or is over its rate, must not slow down the forwarding.
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
