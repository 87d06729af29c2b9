import { Injectable } from '@nestjs/common';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { sendPage } from '../pages/layout.js';
import { refusalPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { sessionToken } from '../browser-sessions/session.cookie.js';
import { cookiesOf, type SignInHttpRequest } from '../sign-in.context.js';
import { plainStale } from './refusal-texts.rules.js';
import { RefusalWays } from './refusal-ways.js';

/** Answers answers of IdPs that come again or too late. */
@Injectable()
export class StaleSignIns {
  constructor(
    private readonly ways: RefusalWays,
    private readonly sessions: LiveSessions,
    private readonly start: SignInStart,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  /**
   * Answers an answer that came again or too late. A browser with a session has only pressed Back, or finished in
   * another tab, and is led on. A form of another site comes without the session's cookie: then our landing page looks
   * again.
   */
  async answer(req: SignInHttpRequest, res: BridgeResponse, supportId: string): Promise<void> {
    const context = req.signInContext;
    if (req.method === 'POST' && context !== undefined) {
      const query = {
        support_id: supportId,
        ...(context.request ? { request: context.request.id } : {}),
        ...(context.lacks ? { lost: context.lacks } : {}),
      };
      return res.redirect(303, this.addresses.landing(context.connection.slug, query));
    }
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session !== null) {
      const same = context !== undefined && session.tenant_id === context.connection.tenantId;
      const asked = same && context.request !== null ? context.request.return_to : null;
      const target = same ? this.start.targetOrHome(context.connection, asked) : null;
      // Another application needs a code, and therefore a sign-in of its own.
      return res.redirect(303, target !== null && target.application === null ? target.url : this.addresses.home);
    }
    const plain = plainStale(context?.lacks ?? null);
    sendPage(
      res,
      refusalPage({ ...plain, account: null, supportId, ways: this.ways.of(plain.way, context), leave: null }),
      await this.faces.of(context?.connection.tenantId),
    );
  }
}
