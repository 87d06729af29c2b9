import { CrossSiteRequest } from '../../../base/http/http.errors.js';
import type { BridgeRequest } from '../../../base/http/request.js';

/**
 * Refuses a request that another site made the browser send with our cookie. Browsers send `Sec-Fetch-Site`, older ones
 * `Origin`; a client that sends neither is not a browser.
 *
 * @throws {CrossSiteRequest} when it came from another site
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
