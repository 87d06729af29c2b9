import { Body, Controller, Delete, HttpCode, Post, Req, Res, UsePipes, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { sessionToken } from '../../auth/sign-in/browser-sessions/session.guard.js';
import { SignInLimits } from '../../auth/sign-in/limits/sign-in-limits.js';
import { parseToken } from '../../base/crypto/tokens.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { readCookies, demandSameOrigin } from '../../base/http/cookies.js';
import { TooManyRequests } from '../../base/http/http.errors.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ValidateBody } from '../../base/http/validate.js';
import { OperatorController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, type Caller } from '../../tenancy/tenants/caller.js';
import {
  consoleCookie,
  consoleToken,
  demandJson,
  noConsoleCookie,
  type ConsoleSessionFacts,
} from '../../tenancy/tenants/console-credentials.js';
import { MeBody } from '../../tenancy/tenants/me.controller.js';
import { demandOperatorToken, WhileEntered } from '../../tenancy/tenants/operator-acts.js';
import { EnterConsole, ConsoleLinkBody, MakeConsoleLink, EnteredBody, EnterTenant } from './console-access.dto.js';
import { ConsoleLinkOver } from './console-access.errors.js';
import {
  ConsoleEntryService,
  type BegunConsoleSession,
  type EnteringBrowser,
  EnteredTenantService,
} from './console-entry.service.js';
import { ConsoleLinksService, type ConsoleLink } from './console-links.service.js';
import { ConsoleSessionsStore } from './console-sessions.store.js';

/** The session of the console: begun by the sign-in of the browser or by a link of the operator. Its cookie opens the API. */
@Controller(['api/v1/console/session', 'v1/console/session'])
@UsePipes(ValidateBody)
@ApiTags('console')
export class ConsoleSessionController {
  constructor(
    private readonly entry: ConsoleEntryService,
    private readonly sessions: ConsoleSessionsStore,
    private readonly limits: SignInLimits,
  ) {}

  @Post()
  @HttpCode(201)
  @ApiOperation({
    summary: 'Begins a session of the console, and sets its cookie',
    description:
      'Without `link`: by the sign-in of the browser, of the last ten minutes. Only for pages of this origin (`Sec-Fetch-Site: same-origin`).',
  })
  @ApiRecord(MeBody, 201)
  @ApiRefusals({
    400: ['console_link_over'],
    401: ['no_session', 'sign_in_again'],
    403: ['cross_site_request', 'https_needed', 'not_an_administrator'],
    429: ['too_many_requests'],
  })
  async begin(
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
    @Body() { link }: EnterConsole,
  ): Promise<ConsoleSessionFacts> {
    demandSameOrigin(req);
    demandJson(req);
    const browser = { old: consoleToken(req), requestId: req.id };
    const begun =
      link === undefined
        ? await this.entry.bySignIn(sessionToken(readCookies(req.headers.cookie)), browser)
        : await this.byLink(req, link, browser);
    res.setHeader('Set-Cookie', consoleCookie(begun.token));
    return this.sessions.describe(begun);
  }

  @Delete()
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends the session of the console; the sign-in stays' })
  @ApiNoContentResponse()
  @ApiRefusals({ 403: ['cross_site_request', 'https_needed'] })
  async end(@Req() req: BridgeRequest, @Res({ passthrough: true }) res: BridgeResponse): Promise<void> {
    demandSameOrigin(req);
    await this.entry.end(consoleToken(req));
    res.setHeader('Set-Cookie', noConsoleCookie());
  }

  /** Counts wrong links alone: a valid one is accepted, also from an address over the limit. */
  private async byLink(req: BridgeRequest, secret: string, browser: EnteringBrowser): Promise<BegunConsoleSession> {
    try {
      return await this.entry.byLink(secret, browser);
    } catch (error) {
      if (!(error instanceof ConsoleLinkOver)) throw error;
      if (await this.limits.noteGrantFailure(req.ip ?? '', parseToken(secret)?.tenantId ?? '')) throw error;
      throw new TooManyRequests('Too many links of the console were refused.', 60);
    }
  }
}

/** Links of the console: the operator's way in, and the way for tenants that are locked out. */
@OperatorController('installation/console-links')
@ApiRefusals()
export class ConsoleLinksController {
  constructor(private readonly links: ConsoleLinksService) {}

  @Post()
  @ApiOperation({
    summary: 'A link of the console: works once, for ten minutes',
    description:
      'Making and using it are in the audit log of the tenant; with the role `operator`, of the installation.',
  })
  @ApiRecord(ConsoleLinkBody, 201)
  @ApiRefusals({ 403: ['operator_token_needed'], 404: ['not_found'] })
  make(
    @CurrentCaller() caller: Caller,
    @Body() { role, tenant_id: tenantId, reason, made_by: madeBy }: MakeConsoleLink,
  ): Promise<ConsoleLink> {
    // A session that made links would renew itself without end.
    demandOperatorToken(caller, 'A link of the console');
    const { actor, requestId } = caller;
    const isOperator = role === 'operator';
    if (isOperator !== (tenantId == null)) throw wrongTenant(isOperator);
    return this.links.make({ role, tenantId: tenantId ?? '', reason, madeBy: madeBy ?? null }, { actor, requestId });
  }
}

function wrongTenant(isOperator: boolean): InvalidFields {
  const message = isOperator ? 'must be left out for the role operator' : 'must be the tenant that the link opens';
  return new InvalidFields([{ field: 'tenant_id', message }]);
}

/** The operator's reading of one tenant, by a session of the console. */
@OperatorController('tenants/:tenant_id')
@ApiRefusals()
export class EnteredTenantController {
  constructor(private readonly entered: EnteredTenantService) {}

  @WhileEntered()
  @Post('enter')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Lets the session of the operator read a tenant for 30 minutes',
    description: 'Its audit log has the reason. Another tenant takes the place of this one.',
  })
  @ApiRecord(EnteredBody)
  @ApiRefusals({ 409: ['no_console_session'] })
  enter(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Body() { reason }: EnterTenant,
  ): Promise<EnteredBody> {
    return this.entered.enter(caller, tenantId, reason);
  }

  @WhileEntered()
  @Post('leave')
  @HttpCode(204)
  @ApiOperation({ summary: 'Ends the reading of a tenant before its time' })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['no_console_session'] })
  leave(@CurrentCaller() caller: Caller, @Param('tenant_id') tenantId: string): Promise<void> {
    return this.entered.leave(caller, tenantId);
  }
}
