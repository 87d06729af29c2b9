import { Body, Delete, Get, HttpCode, Param, Post, Query, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiBody, ApiConsumes, ApiProperty, ApiTags } from '@nestjs/swagger';
import { LiveSessions } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { DocumentsGuard, demandSameSite, sessionToken } from '../../../auth/sign-in/browser-sessions/session.guard.js';
import { SignInLimits } from '../../../auth/sign-in/limits/sign-in-limits.js';
import { sendPage, TenantFaces } from '../../../auth/sign-in/pages/layout.js';
import { cookiesOf, type SignInHttpRequest } from '../../../auth/sign-in/requests/sign-in.context.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiPage, ApiRecord, ApiRefusals, ApiHtml } from '../../../base/http/api-answers.js';
import { hostCookie } from '../../../base/http/cookies.js';
import { readForm } from '../../../base/http/form.js';
import { pageOf, PAGE_OPTIONS, readPage, type Page } from '../../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { AtsAddresses } from '../connections/ats-connections.store.js';
import { connectorOf } from '../providers/providers.js';
import { AuthorizationsRepository } from './authorizations.repository.js';
import {
  ConnectLinkBody,
  CreateConnectLink,
  NewConnectLinkBody,
  ConnectLinksService,
} from './connect-links.service.js';
import { GrantedConnections } from './granted-connections.js';
import { notConnectedPage, writerPage, writerSetPage } from './marketplace-pages.js';
import { ConnectRefused } from './marketplace.errors.js';

@ApiController('ats-connect-links', { tag: 'ats-connections' })
@RequireScope('ats:manage')
@ApiRefusals()
export class ConnectLinksController {
  constructor(private readonly links: ConnectLinksService) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'A link that connects an ATS: works once, for three days; it is shown this once',
    description:
      'Its page says for which tenant it is. Who opens it has to administer the ATS, and needs no account here.',
  })
  @ApiRecord(NewConnectLinkBody, 201)
  @ApiRefusals({ 409: ['no_oauth_client'] })
  make(@CurrentCaller() caller: Caller, @Body() body: CreateConnectLink): Promise<NewConnectLinkBody> {
    return this.links.make(caller, body.provider);
  }

  @Get()
  @RequireScope('ats:read', 'ats:manage')
  @ApiOperation({ summary: 'The connect links, newest first' })
  @ApiPage(ConnectLinkBody)
  async list(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<Page<ConnectLinkBody>> {
    queryOptions(query, PAGE_OPTIONS);
    const page = readPage(query, 'ats-connect-links');
    return pageOf(
      page,
      await this.links.listLinks(tenantId, page.after, page.limit),
      ({ id }) => id,
      (body) => body,
    );
  }

  @Delete(':link_id')
  @HttpCode(204)
  @ApiOperation({ summary: 'Revokes a link that was not used yet' })
  @ApiNoContentResponse()
  revoke(@CurrentCaller() caller: Caller, @Param('link_id') id: string): Promise<void> {
    return this.links.revoke(caller, id);
  }
}

const FORM_BYTES = 4_096;

export class WriterForm {
  @ApiProperty({ description: 'The `state` of the authorization that made the connection.' })
  state!: string;
  @ApiProperty({ description: 'The id of a user of the ATS.' })
  as_user!: string;
}

@Controller('api/integrations/:provider')
@ApiTags('ats-connections')
@UseGuards(DocumentsGuard)
export class WriterController {
  constructor(
    private readonly granted: GrantedConnections,
    private readonly authorizations: AuthorizationsRepository,
    private readonly sessions: LiveSessions,
    private readonly faces: TenantFaces,
    private readonly addresses: AtsAddresses,
    private readonly limits: SignInLimits,
  ) {}

  @Post('writer')
  @ApiOperation({
    summary: 'Sets the user of the ATS as whom a new connection writes',
    description: 'From the page at the end of the connecting, in the same browser, for ten minutes after its begin.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: WriterForm })
  @ApiHtml(200, 'The user is set.')
  @ApiHtml(400, 'The page is over, or belongs to another browser.')
  @ApiHtml(422, 'The ATS does not know the user; the page asks again.')
  @ApiRefusals({ 403: ['cross_site_request'], 404: [] })
  async choose(
    @Param('provider') provider: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const connector = connectorOf(provider);
    if (connector?.oauth == null) throw new NotFound('integration');
    const { title } = connector;
    const form = await readForm(req, FORM_BYTES, ['state', 'as_user']);
    const [state, asUser] = [form.get('state') ?? '', form.get('as_user') ?? ''];
    const cookies = cookiesOf(req);
    try {
      await this.limits.start(req.ip ?? '', '');
      const session = await this.sessions.check(sessionToken(cookies));
      const made = await this.granted.choose(connector, { state, asUser, cookies, session, requestId: req.id });
      const face = await this.faces.of(made.tenantId);
      const { said, users } = made;
      if (said !== null) {
        return sendPage(res, writerPage({ title, action: this.addresses.writer(provider), state, users, said }), face);
      }
      const cookie = this.authorizations.cookieOf(state);
      if (cookie !== null) res.setHeader('Set-Cookie', hostCookie(cookie as `__Host-${string}`, '', 'Lax', 0));
      sendPage(res, writerSetPage(title), face);
    } catch (error) {
      if (!(error instanceof ConnectRefused)) throw error;
      const again = this.addresses.start(provider);
      sendPage(res, notConnectedPage({ title, said: error.message, again, status: 400 }));
    }
  }
}
