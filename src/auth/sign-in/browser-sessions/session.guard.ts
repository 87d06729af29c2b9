import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { proveCaller } from '../../../base/http/connection-bound.js';
import { hostCookie, readCookies } from '../../../base/http/cookies.js';
import { CrossSiteRequest, MethodNotAllowed } from '../../../base/http/http.errors.js';
import type { BridgeRequest } from '../../../base/http/request.js';
import { NoSession } from '../sign-in.errors.js';
import { type SessionRow, LiveSessions } from './live-sessions.js';

const NAME = '__Host-session';

/** Returns the token of the session from the cookies. */
export function sessionToken(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(NAME) ?? null;
}

/**
 * Returns the `Set-Cookie` line of a session. `Lax`: links from other sites carry the cookie, forms do not. It ends with the
 * browser or with the session, which the server decides.
 */
export function sessionCookie(token: string): string {
  return hostCookie(NAME, token, 'Lax', null);
}

export function noSessionCookie(): string {
  return hostCookie(NAME, '', 'Lax', 0);
}

export type SessionRequest = BridgeRequest & { session: SessionRow };

/** @throws {NoSession} for a request without a live session */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: LiveSessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<BridgeRequest & { session?: SessionRow }>();
    const session = await this.sessions.check(sessionToken(readCookies(req.headers.cookie)));
    if (session === null) throw new NoSession();
    req.session = session;
    req.tenantId = session.tenant_id;
    proveCaller(req);
    return true;
  }
}

const AND_POST = /^\/api\/auth\/(login$|callback\/|test\/|owner-sign-in$)/;

/**
 * Accepts requests for a page that a person opens. A picture, frame or script of another site, a prefetch, or a HEAD of a link
 * preview would begin a sign-in or use one up.
 */
@Injectable()
export class DocumentsGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const req = context.switchToHttp().getRequest<BridgeRequest>();
    if (req.method === 'HEAD') throw new MethodNotAllowed('HEAD', AND_POST.test(req.path) ? ['GET', 'POST'] : ['GET']);
    const destination = req.headers['sec-fetch-dest'];
    if (destination !== undefined && destination !== 'document') throw new CrossSiteRequest();
    if (String(req.headers['sec-purpose']).includes('prefetch')) throw new CrossSiteRequest();
    return true;
  }
}

/**
 * Refuses a request that another site made the browser send with our cookie. Browsers send `Sec-Fetch-Site`, older ones
 * `Origin`; a client that sends neither is not a browser.
 *
 * @throws {CrossSiteRequest} when the request came from another site
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
