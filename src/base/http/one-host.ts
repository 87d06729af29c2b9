import type { NextFunction, Request, Response } from 'express';
import { MalformedRequest } from '../errors/domain-error.js';

/**
 * A middleware that refuses a request with several `Host` headers (RFC 9112 §3.2). Node.js keeps the first one, and a proxy
 * before it may have judged by another.
 */
export function oneHost({ rawHeaders }: Request, _res: Response, next: NextFunction): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]!.length === 4 && rawHeaders[at]!.toLowerCase() === 'host') hosts++;
  }
  next(hosts > 1 ? new MalformedRequest('The request has more than one Host header. Send one.') : undefined);
}
