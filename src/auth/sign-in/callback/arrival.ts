import { Injectable } from '@nestjs/common';
import type { BridgeResponse } from '../../../base/http/request.js';
import type { Connection } from '../../connections/connection.js';
import { forgetCookie } from '../requests/browser-half.js';
import type { SignInRequest } from '../requests/sign-in-requests.repository.js';
import { sessionCookie } from '../browser-sessions/session.cookie.js';
import { TokenExchange } from '../tokens/token-exchange.js';
import { SignInStart } from '../requests/sign-in-start.js';

/** The last step of a sign-in: sets the session's cookie and redirects to the target. */
@Injectable()
export class Arrival {
  constructor(
    private readonly start: SignInStart,
    private readonly tokens: TokenExchange,
  ) {}

  /**
   * Sends the browser to its target.
   *
   * @param request the sign-in request; null: the IdP began the sign-in
   * @param session `returnTo`: where to, if the request does not say
   * @param cookies further `Set-Cookie` lines
   */
  async go(
    res: BridgeResponse,
    connection: Connection,
    request: SignInRequest | null,
    session: { id: string; token: string; returnTo?: string | null },
    cookies: readonly string[] = [],
  ): Promise<void> {
    const codeChallenge = request?.code_challenge ?? null;
    const target = this.start.targetOrHome(connection, session.returnTo ?? request?.return_to ?? null);
    const url = new URL(target.url);
    // A request of an older version may have no challenge; its application gets no code and asks again.
    if (target.application !== null && codeChallenge !== null) {
      const code = await this.tokens.code(connection.tenantId, {
        sessionId: session.id,
        audience: target.application,
        codeChallenge,
      });
      url.searchParams.set('code', code);
    }
    const begun = request === null ? [] : [forgetCookie(request.id)];
    res.setHeader('Set-Cookie', [sessionCookie(session.token), ...begun, ...cookies]);
    res.redirect(303, target.application === null ? target.url : url.href);
  }
}
