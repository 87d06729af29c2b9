import { Controller, Get, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AuthAddresses } from '../../../auth/connections/addresses.js';
import { type SessionRow, LiveSessions } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { DocumentsGuard, demandSameSite, sessionToken } from '../../../auth/sign-in/browser-sessions/session.guard.js';
import { SignInLimits } from '../../../auth/sign-in/limits/sign-in-limits.js';
import { sendPage, TenantFaces } from '../../../auth/sign-in/pages/layout.js';
import { cookiesOf, type SignInHttpRequest } from '../../../auth/sign-in/requests/sign-in.context.js';
import { ApiFilter, ApiHtml, ApiRedirect, ApiRefusals } from '../../../base/http/api-answers.js';
import { hostCookie } from '../../../base/http/cookies.js';
import { readForm } from '../../../base/http/form.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AtsAddresses } from '../connections/ats-connections.store.js';
import type { Connector } from '../connectors/connector.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import { connectedPage, connectLinkPage, notConnectedPage, StartPages } from './marketplace-pages.js';
import { ConnectRefused } from './marketplace.errors.js';
import { MarketplaceService, type Starter } from './marketplace.service.js';

const FORM_BYTES = 4_096;
const COOKIE_SECONDS = 600;

export class ConnectForm {
  @ApiProperty({ required: false, description: 'The secret of a connect link, or the whole link.' })
  code?: string;
  @ApiProperty({ required: false, description: '`yes`: the user has seen for which tenant it is.' })
  confirmed?: string;
  @ApiProperty({ required: false, description: 'The connection that is connected again; empty: a new one.' })
  connection?: string;
}

/** Connects an ATS by OAuth. An ATS opens `start` from its settings; only the provider in its path is trusted. */
@Controller('api/integrations/:provider')
@ApiTags('ats-connections')
@UseGuards(DocumentsGuard)
export class MarketplaceController {
  constructor(
    private readonly marketplace: MarketplaceService,
    private readonly authorizations: AuthorizationsRepository,
    private readonly pages: StartPages,
    private readonly sessions: LiveSessions,
    private readonly faces: TenantFaces,
    private readonly addresses: AtsAddresses,
    private readonly signIn: AuthAddresses,
    private readonly limits: SignInLimits,
  ) {}

  @Get('start')
  @ApiOperation({
    summary: 'Where a user begins to connect an ATS, from its settings page or from here',
    description: 'A signed-in administrator sees for which tenant it is; a user without a session signs in first.',
  })
  @ApiHtml(200, 'A button that leads to the ATS.')
  @ApiRedirect(302, 'To the sign-in, and back.')
  @ApiRefusals({ 403: ['not_an_administrator', 'cross_site_request'], 404: [] })
  async start(
    @Param('provider') provider: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const connector = this.marketplace.partner(provider);
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) {
      const back = new URL(this.addresses.start(provider)).pathname;
      return res.redirect(302, `${this.signIn.login}?${new URLSearchParams({ return_to: back }).toString()}`);
    }
    await this.marketplace.demandAdministrator(session);
    await this.pages.show(res, connector, { tenantId: session.tenant_id, session, link: null }, null);
  }

  @Post('start')
  @ApiOperation({ summary: 'Sends the signed-in administrator to the ATS' })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: ConnectForm })
  @ApiRedirect(303, 'To the ATS.')
  @ApiRefusals({ 401: ['no_session'], 403: ['not_an_administrator', 'cross_site_request'], 404: [] })
  async begin(
    @Param('provider') provider: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const connector = this.marketplace.partner(provider);
    const form = await readForm(req, FORM_BYTES, ['connection']);
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) return this.refuse(res, connector, new ConnectRefused('other_person'));
    await this.marketplace.demandAdministrator(session);
    await this.go(res, connector, { tenantId: session.tenant_id, session, link: null }, form.get('connection') ?? '');
  }

  @Get('connect')
  @ApiOperation({
    summary: 'The page of a connect link',
    description: 'The secret is in the fragment and does not come to this address; opening the page uses nothing up.',
  })
  @ApiHtml(200, 'A button that continues. Without scripts, a field for the link.')
  @ApiRefusals({ 404: [] })
  connectLink(@Param('provider') provider: string, @Res() res: BridgeResponse): void {
    const connector = this.marketplace.partner(provider);
    sendPage(res, connectLinkPage(connector.title, this.addresses.connectLink(provider)));
  }

  @Post('connect')
  @ApiOperation({ summary: 'Shows for which tenant a connect link is; confirmed, leads to the ATS' })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: ConnectForm })
  @ApiHtml(200, 'For which tenant the link is.')
  @ApiRedirect(303, 'To the ATS.')
  @ApiRefusals({ 400: ['connect_link_over'], 403: ['cross_site_request'], 404: [] })
  async byLink(
    @Param('provider') provider: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const connector = this.marketplace.partner(provider);
    const form = await readForm(req, FORM_BYTES, ['code', 'confirmed', 'connection']);
    const code = form.get('code') ?? '';
    const secret = code.slice(code.indexOf('#') + 1).trim();
    const starter = await this.orRefuse(res, connector, async () => {
      await this.limits.start(req.ip ?? '', '');
      return this.marketplace.linkOf(provider, secret);
    });
    if (starter === null) return;
    req.tenantId = starter.tenantId;
    if (form.get('confirmed') !== 'yes') return this.pages.show(res, connector, starter, secret);
    await this.go(res, connector, starter, form.get('connection') ?? '');
  }

  @Get('callback')
  @ApiOperation({ summary: 'Takes the answer of the ATS: the redirect URI of its OAuth (RFC 6749 §4.1.2)' })
  @ApiQuery({ name: 'state', required: true })
  @ApiFilter('code', 'The code that the ATS gives for the approval.')
  @ApiFilter('error', 'Why the ATS gives none, such as `access_denied`.')
  @ApiFilter('accounts-server', 'The data centre of a Zoho account.')
  @ApiFilter('iss', 'The issuer, where the ATS names it (RFC 9207).')
  @ApiHtml(200, 'The ATS is connected.')
  @ApiHtml(400, 'Why it is not, and a way to begin again.')
  @ApiRefusals({ 404: [] })
  async callback(
    @Param('provider') provider: string,
    @Query() query: QueryMap,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const connector = this.marketplace.partner(provider);
    const cookies = cookiesOf(req);
    const state = queryText(query, 'state') ?? '';
    const session: SessionRow | null = await this.sessions.check(sessionToken(cookies));
    const done = await this.orRefuse(res, connector, () => {
      const told = (name: string | undefined) => (name === undefined ? null : (queryText(query, name) ?? null));
      const [code, error, issuer] = [told('code'), told('error'), told('iss')];
      const answer = { state, code, error, issuer, tokenOrigin: told(connector.oauth!.regionParameter) };
      return this.marketplace.complete(connector, { ...answer, cookies, session, requestId: req.id });
    });
    if (done === null) return;
    const { tenantId, marker, missing, users } = done;
    // The answer to a page with a question must come from the same browser, so its cookie stays.
    const cookie = users === null ? this.authorizations.cookieOf(state) : null;
    if (cookie !== null) res.setHeader('Set-Cookie', hostCookie(cookie as `__Host-${string}`, '', 'Lax', 0));
    const face = await this.faces.of(tenantId);
    const { title } = connector;
    const action = this.addresses.writer(provider);
    const ask = users === null ? null : { title, action, state, users, said: null };
    sendPage(res, connectedPage({ title, tenant: face?.name ?? '', marker, missing, ask }), face);
  }

  private async go(res: BridgeResponse, connector: Connector, starter: Starter, connection: string): Promise<void> {
    const known = await this.pages.choosable(starter.tenantId, connector.provider);
    const chosen = known.find(({ id }) => id === connection)?.id ?? null;
    const { url, cookie } = await this.marketplace.begin(starter, connector, chosen);
    res.setHeader('Set-Cookie', hostCookie(cookie.name as `__Host-${string}`, cookie.secret, 'Lax', COOKIE_SECONDS));
    res.redirect(303, url);
  }

  /** Returns null after a refusal was shown. */
  private async orRefuse<T>(res: BridgeResponse, connector: Connector, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ConnectRefused)) throw error;
      this.refuse(res, connector, error);
      return null;
    }
  }

  private refuse(res: BridgeResponse, { title, provider }: Connector, error: ConnectRefused): void {
    const again = this.addresses.start(provider);
    sendPage(res, notConnectedPage({ title, said: error.message, again, status: 400 }));
  }
}
