import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { proveCaller } from '../../../base/http/connection-bound.js';
import { readCookies } from '../../../base/http/cookies.js';
import type { BridgeRequest } from '../../../base/http/request.js';
import { NoSession } from '../sign-in.errors.js';
import { sessionToken } from './session.cookie.js';
import type { SessionRow } from './live-sessions.repository.js';
import { LiveSessions } from './live-sessions.js';

/** A request with a live session. */
export type SessionRequest = BridgeRequest & { session: SessionRow };

/**
 * Accepts requests with a live session.
 *
 * @throws {NoSession} for any other request
 */
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
