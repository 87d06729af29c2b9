import { Controller, Get, HttpCode, Param, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { sendPage } from '../pages/layout.js';
import { testLinkPage, testPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import { demandSameSite } from '../browser-sessions/same-site.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { DocumentsGuard } from '../documents.guard.js';
import { follow } from './next-step.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { cookiesOf, type SignInHttpRequest } from '../sign-in.context.js';
import { TestResults } from '../test-sign-ins/test-results.js';

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
    private readonly results: TestResults,
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
    const kept = await this.results.of(req, connection, handle);
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
