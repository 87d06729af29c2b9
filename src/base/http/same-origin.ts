import { CrossSiteRequest, HttpsNeeded } from './http.errors.js';
import type { BridgeRequest } from './request.js';
import { parsedUrl } from '../url.js';

type Asked = Pick<BridgeRequest, 'headers' | 'protocol'>;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Refuses a request that no page of this origin has sent. A cookie of administration is worth nothing elsewhere: also a
 * request without `Sec-Fetch-Site` is refused, which every current browser sends to https and to this machine.
 *
 * @throws {HttpsNeeded} when a browser cannot send the header, since the page is plain http of another machine
 * @throws {CrossSiteRequest} for any other request
 */
export function demandSameOrigin(req: Asked): void {
  const site = req.headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  throw site === undefined && isPlainHttp(req) ? new HttpsNeeded() : new CrossSiteRequest();
}

function isPlainHttp({ headers, protocol }: Asked): boolean {
  const url = parsedUrl(headers.origin ?? `${protocol}://${headers.host ?? ''}`);
  return url?.protocol === 'http:' && !LOOPBACK.test(url.hostname);
}
