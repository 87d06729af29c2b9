import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiCreatedResponse, ApiOperation, ApiProperty } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { once } from '../../../tenancy/idempotency/idempotency-keys.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/store.js';
import { demandSameSite, DocumentsGuard } from '../browser-sessions/session.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { sendPage, TenantFaces } from '../pages/layout.js';
import { testLinkPage, testPage } from '../pages/pages.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { cookiesOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { SignInRefused } from '../sign-in.errors.js';
import { follow } from './login.controller.js';

/** The link of a test sign-in. Opening it shows a button, which begins the test and uses up the link. */
@Controller('api/auth/test/:slug/:handle')
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class TestLinkController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly start: SignInStart,
    private readonly limits: SignInLimits,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  @Get()
  @ApiExcludeEndpoint()
  async page(
    @Param('slug') slug: string,
    @Param('handle') handle: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const connection = await this.testOf(req, slug, handle);
    const face = await this.faces.of(connection.tenantId);
    if (await this.start.isOpenTest(connection, handle)) {
      return sendPage(res, testLinkPage(connection.name, this.addresses.test(slug, handle)), face);
    }
    const kept = await this.start.testResultOf(req, connection, handle);
    if (kept === null) throw isOver();
    sendPage(res, testPage(kept), face);
  }

  @Post()
  @HttpCode(303)
  @ApiExcludeEndpoint()
  async begin(
    @Param('slug') slug: string,
    @Param('handle') handle: string,
    @Req() req: SignInHttpRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const connection = await this.testOf(req, slug, handle);
    const next = await this.start.beginTest(connection, handle, cookiesOf(req));
    if (next === null) throw isOver();
    follow(res, next, 303, await this.faces.of(connection.tenantId));
  }

  private async testOf(req: SignInHttpRequest, slug: string, handle: string): Promise<Connection> {
    const connection = await this.connections.bySlug(slug);
    await this.limits.start(req.ip ?? '', connection?.tenantId ?? '');
    if (connection === null || !(await this.start.isTest(connection, handle))) throw new NotFound('test sign-in');
    req.tenantId = connection.tenantId;
    // Refusals are shown to an administrator from here on.
    req.signInContext = { connection, request: null, browser: null, kind: 'test' };
    return connection;
  }
}

function isOver(): SignInRefused {
  return new SignInRefused('state_used', 'the test has begun already, or its link has expired; make a new one');
}

class TestSignInBody {
  @ApiProperty({
    description: 'To be opened within a quarter of an hour, in the browser that is to sign in. Its button works once.',
  })
  url!: string;
}

@ApiController('connections/:connection_id/test-sign-in', { tag: 'connections' })
@RequireScope('admin')
@ApiRefusals()
export class TestSignInController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly start: SignInStart,
    private readonly addresses: AuthAddresses,
    private readonly db: Database,
  ) {}

  @Post()
  @ApiOperation({
    summary: 'A test sign-in: changes nothing, and shows what the IdP sends and which user that matches',
  })
  @ApiCreatedResponse({ type: TestSignInBody })
  async prepare(@CurrentCaller() caller: Caller, @Param('connection_id') id: string): Promise<TestSignInBody> {
    const connection = await this.connections.byId(caller.tenantId, id);
    if (connection === null) throw new NotFound('connection');
    const handle = await once(this.db, caller, (tx) => this.start.prepareTest(tx, connection, caller.actor));
    return { url: this.addresses.test(connection.slug, handle) };
  }
}
