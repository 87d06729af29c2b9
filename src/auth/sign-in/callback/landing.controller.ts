import { Controller, Get, Param, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { NotFound } from '../../../base/errors/domain-error.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { sessionToken } from '../browser-sessions/session.cookie.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { Arrival } from './arrival.js';
import { DocumentsGuard } from '../documents.guard.js';
import { landingToken, noLandingCookie } from './landing.cookie.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { StaleSignIns } from '../refusal-pages/stale-sign-ins.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { cookiesOf, type SignInHttpRequest } from '../sign-in.context.js';

/** The page after a SAML answer: a request of our own site, with all cookies. */
@Controller('api/auth/landing/:slug')
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class LandingController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly start: SignInStart,
    private readonly live: LiveSessions,
    private readonly sessions: SessionsService,
    private readonly arrival: Arrival,
    private readonly stale: StaleSignIns,
  ) {}

  @Get()
  @ApiExcludeEndpoint()
  async land(
    @Param('slug') slug: string,
    @Query() query: QueryMap,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection === null) throw new NotFound('connection');
    req.tenantId = connection.tenantId;
    const cookies = cookiesOf(req);
    const handle = queryText(query, 'request') ?? '';
    const request = await this.start.ofBrowser(connection, handle, cookies);
    const lost = queryText(query, 'lost');
    const lacks =
      lost === 'cookie' || (lost === 'cookies' && cookies.size > 0) ? 'cookie' : lost === 'cookies' ? lost : null;
    req.signInContext = { connection, request, browser: null, lacks };
    const token = landingToken(cookies, handle);
    const session = await this.live.check(token);
    if (token === null || session?.connection_id !== connection.id) {
      const supportId = queryText(query, 'support_id') ?? '';
      if (/^sin_[0-9a-z]{26}$/.test(supportId)) return this.stale.answer(req, res, supportId);
      // A browser that is signed in has only come back here, and is led on.
      if ((await this.live.check(sessionToken(cookies))) !== null) return this.stale.answer(req, res, req.id);
      throw new SignInRefused('landing_lost', 'the browser came without the cookie of its accepted sign-in');
    }
    const old = sessionToken(cookies);
    if (old !== token) await this.sessions.end(old, 'signed_in_again');
    // Without a request the IdP has begun the sign-in: its RelayState comes along, and is judged as any `return_to`.
    const returnTo = request === null ? (queryText(query, 'return_to') ?? null) : request.return_to;
    const began = { id: session.id, token, returnTo };
    await this.arrival.go(res, connection, request, began, [noLandingCookie(handle)]);
  }
}
