import type { BridgeRequest } from '../../base/http/request.js';
import { CrossSiteRequest } from '../sign-in.errors.js';

/**
 * Refuses what another site has made a browser send with our cookie (ADM-01). Browsers say where a request comes from
 * in `Sec-Fetch-Site`, older ones in `Origin`; whoever says neither is no browser, and has no cookie by accident.
 */
export function demandSameSite(req: BridgeRequest, ownOrigin?: string): void {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw new CrossSiteRequest();
    return;
  }
  const { origin } = req.headers;
  if (origin === undefined) return;
  if (origin !== ownOrigin) throw new CrossSiteRequest();
}
