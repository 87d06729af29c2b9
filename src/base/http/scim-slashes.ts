import type { NextFunction, Request, Response } from 'express';

const DOUBLED = /^\/scim\/v2\/{2,}/;

/**
 * Makes one slash of several behind the base address of SCIM. An IdP that was given this address with a slash at the end
 * asks for `/scim/v2//Users`. No other address has a second spelling.
 */
export function singleSlashes(req: Request, _res: Response, next: NextFunction): void {
  if (req.url.startsWith('/scim/v2//')) {
    req.url = req.url.replace(DOUBLED, '/scim/v2/');
    req.originalUrl = req.url;
  }
  next();
}
