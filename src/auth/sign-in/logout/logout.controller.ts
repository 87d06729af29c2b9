import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiTags } from '@nestjs/swagger';
import { readForm } from '../../../base/http/form.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { sendPage } from '../pages/layout.js';
import { homePage } from '../pages/home-page.js';
import { handoverPage, signedOutPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import { demandSameSite } from '../browser-sessions/same-site.js';
import { noSessionCookie, sessionToken } from '../browser-sessions/session.cookie.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { cookiesOf, originOf } from '../sign-in.context.js';
import { DescribedHome, DescribedLogout, DescribedSignedOut } from './logout.description.js';
import { LogoutService } from './logout.service.js';

const FORM_BYTES = 1_024;

/** Logout by the user: here, and at the IdP where it offers that. */
@Controller()
@ApiTags('sign-in')
export class LogoutController {
  constructor(
    private readonly logout: LogoutService,
    private readonly sessions: LiveSessions,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  @Post('api/auth/logout')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends this session, then leads to the IdP’s own logout where it offers one',
    description:
      'A browser is redirected; a client that accepts JSON and no HTML gets `redirect_to`. A request without a session succeeds. The body is empty, like that of a form without fields.',
  })
  @DescribedLogout()
  async end(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const step = await this.logout.end(sessionToken(cookiesOf(req)), originOf(req));
    res.setHeader('Set-Cookie', noSessionCookie());
    const wantsJson = !(req.headers.accept ?? '').includes('text/html') && (req.headers.accept ?? '').includes('json');
    if (wantsJson) {
      // A script cannot follow a form: then the session at the IdP ends by its own limit.
      res.json({ redirect_to: step?.kind === 'redirect' ? step.url : this.addresses.signedOut });
    } else if (step?.kind === 'form') {
      sendPage(res, handoverPage(step));
    } else {
      res.redirect(303, step?.url ?? this.addresses.signedOut);
    }
  }

  @Get('api/auth/signed-out')
  @ApiOperation({ summary: 'The page after signing out' })
  @DescribedSignedOut()
  signedOut(@Res() res: BridgeResponse): void {
    sendPage(res, signedOutPage(this.addresses.login));
  }

  @Post('api/auth/sessions/end')
  @HttpCode(303)
  @ApiExcludeEndpoint()
  async endOne(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) return res.redirect(303, this.addresses.login);
    const id = (await readForm(req, FORM_BYTES, ['session_id'])).get('session_id') ?? '';
    // A session that has ended meanwhile is a success.
    await this.sessions.endOne(session.tenant_id, session.user_id, id, 'signed_out');
    res.redirect(303, this.addresses.home);
  }

  @Get()
  @ApiOperation({ summary: 'The home page of the signed-in user' })
  @DescribedHome()
  async home(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) return res.redirect(302, this.addresses.login);
    const all = await this.sessions.list(session.tenant_id, session.user_id);
    const name = `${session.first_name} ${session.last_name}`.trim() || (session.email ?? session.user_id);
    sendPage(
      res,
      homePage({
        name,
        email: session.email,
        tenant: session.tenant_name,
        logout: this.addresses.logout,
        until: this.sessions.endOf(session),
        end: this.addresses.endSession,
        sessions: all.map((one) => ({
          id: one.id,
          userAgent: one.user_agent,
          ip: one.ip,
          connection: one.connection,
          createdAt: one.created_at,
          seenAt: one.seen_at,
          current: one.id === session.id,
        })),
      }),
      await this.faces.of(session.tenant_id),
    );
  }
}
