import { Injectable } from '@nestjs/common';
import type { BridgeResponse } from '../../base/http/request.js';
import type { Connection } from '../../connections/connection.js';
import { forgetCookie } from '../requests/browser-half.js';
import type { SignInRequest } from '../requests/sign-in-requests.repository.js';
import { sessionCookie } from '../sessions/session.cookie.js';
import { TokenExchange } from '../tokens/token-exchange.js';
import { SignInStart } from '../login/sign-in-start.js';

/** The last step of a sign-in: the browser gets its session, and goes to where it was going. */
@Injectable()
export class Arrival {
  constructor(
    private readonly start: SignInStart,
    private readonly tokens: TokenExchange,
  ) {}

  /** `request`: what the browser had begun; null where the IdP began by itself. `cookies`: further `Set-Cookie` lines. */
  async go(
    res: BridgeResponse,
    connection: Connection,
    request: SignInRequest | null,
    session: { id: string; token: string },
    cookies: readonly string[] = [],
  ): Promise<void> {
    const codeChallenge = request?.code_challenge ?? null;
    const target = this.start.targetOrHome(connection, request?.return_to ?? null);
    const url = new URL(target.url);
    // A sign-in that an older version began may have no challenge: its application gets no code, and asks anew.
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
