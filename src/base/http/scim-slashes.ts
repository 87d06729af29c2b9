import type { NextFunction, Request, Response } from 'express';

const DOUBLED = /^\/scim\/v2\/{2,}/;

/**
 * Replaces several slashes after the base address of SCIM by one. An IdP with a slash at the end of this address
 * requests `/scim/v2//Users`. No other address has a second spelling.
 */
export function singleSlashes(req: Request, _res: Response, next: NextFunction): void {
  if (req.url.startsWith('/scim/v2//')) {
    req.url = req.url.replace(DOUBLED, '/scim/v2/');
    req.originalUrl = req.url;
  }
  next();
}
