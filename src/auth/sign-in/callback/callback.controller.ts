import { Controller, Get, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { proveCaller } from '../../../base/http/connection-bound.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { IDP_PROVIDER } from '../../connections/slug.rules.js';
import { newHandle } from '../requests/browser-half.js';
import { sessionToken } from '../browser-sessions/session.cookie.js';
import { Arrival } from './arrival.js';
import { DescribedOidcCallback, DescribedSamlCallback } from './callback.description.js';
import { DocumentsGuard } from '../documents.guard.js';
import { FinishedTests } from './finished-tests.js';
import { landingCookie } from './landing.cookie.js';
import { withoutNewAuthentication } from './new-authentication.rules.js';
import { OidcSignInGuard, SamlSignInGuard } from './sign-in.guards.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import type { SignedIn } from './session-start.js';
import { SignInCompletion } from './sign-in-completion.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../sign-in.context.js';

/**
 * The callback of IdPs: OIDC by GET, SAML by POST. The guards let verified answers through, whose sign-in
 * request is used up; the controller completes the sign-in.
 */
@Controller('api/auth/callback/:idp_provider')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class CallbackController {
  constructor(
    private readonly completion: SignInCompletion,
    private readonly tests: FinishedTests,
    private readonly arrival: Arrival,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
  ) {}

  @Get()
  @UseGuards(OidcSignInGuard)
  @ApiOperation({ summary: 'The redirect URI of an OIDC connection' })
  @DescribedOidcCallback()
  async oidc(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    const { connection, request } = req.signInContext!;
    const session = await this.finish(req, res, sessionToken(cookiesOf(req)));
    if (session !== null) await this.arrival.go(res, connection, request, session);
  }

  @Post()
  @UseGuards(SamlSignInGuard)
  @ApiOperation({ summary: 'The assertion consumer service of a SAML connection (HTTP-POST)' })
  @DescribedSamlCallback()
  async saml(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    const session = await this.finish(req, res, null);
    if (session === null) return;
    const { connection, request, returnTo } = req.signInContext!;
    const handle = request?.id ?? newHandle(this.clock.now());
    res.setHeader('Set-Cookie', landingCookie(handle, session.token));
    res.redirect(
      303,
      this.addresses.landing(connection.slug, { request: handle, ...(returnTo ? { return_to: returnTo } : {}) }),
    );
  }

  /** Begins the session; null after a test sign-in, which has been answered. */
  private async finish(req: SignInHttpRequest, res: BridgeResponse, old: string | null): Promise<SignedIn | null> {
    const { connection, request } = req.signInContext!;
    proveCaller(req);
    if (request?.kind !== 'test') {
      const verified = { ...req.user!, staleness: withoutNewAuthentication(req.user!, request) };
      return this.completion.complete(connection, verified, old, originOf(req));
    }
    await this.tests.finish(req, res);
    return null;
  }
}
