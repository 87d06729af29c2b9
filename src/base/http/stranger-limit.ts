import type { RequestHandler } from 'express';
import type { Clock } from '../clock.js';
import { networkOf } from './allowed-networks.js';
import { TooManyRequests } from './http.errors.js';
import { Buckets } from './rate-limit.js';

/**
 * The allowance of the callers of one network at addresses without a credential. A page of the documents takes about ten
 * requests. A sign-in takes about five, and a whole company may come from one network.
 */
const MOST = {
  documents: { perSecond: 20, burst: 300 },
  searches: { perSecond: 2, burst: 30 },
  others: { perSecond: 100, burst: 1_000 },
};
const DOCUMENTS = /^\/docs(?:\/|$)/;
/** A search of the documents reads all of them. */
const SEARCH = /^\/docs\/search\/?$/;

/**
 * Returns a middleware that takes each request to an open address from the allowance of its network.
 *
 * @param isOpen whether requests to a path come without a credential that has an allowance of its own
 */
export function limitStrangers(clock: Clock, isOpen: (path: string) => boolean): RequestHandler {
  const documents = new Buckets(MOST.documents.perSecond, MOST.documents.burst, clock);
  const searches = new Buckets(MOST.searches.perSecond, MOST.searches.burst, clock);
  const others = new Buckets(MOST.others.perSecond, MOST.others.burst, clock);
  return (req, _res, next) => {
    if (!isOpen(req.path)) return next();
    const buckets = SEARCH.test(req.path) ? searches : DOCUMENTS.test(req.path) ? documents : others;
    const { allowed, resetSeconds } = buckets.take(networkOf(req.ip ?? ''));
    next(allowed ? undefined : new TooManyRequests('This address makes too many requests.', resetSeconds));
  };
}
