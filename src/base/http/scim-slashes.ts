import type { NextFunction, Request, Response } from 'express';

const DOUBLED = /\/{2,}/g;

/**
 * Makes one slash of several in a path of SCIM. An IdP that was given its base address with a slash at the end asks for
 * `/scim/v2//Users`.
 */
export function singleSlashes(req: Request, _res: Response, next: NextFunction): void {
  const { url } = req;
  if (url.startsWith('/scim/') && url.includes('//')) {
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    req.url = path.replace(DOUBLED, '/') + url.slice(path.length);
    req.originalUrl = req.url;
  }
  next();
}
