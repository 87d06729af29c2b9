import { Controller, Get, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { BridgeResponse } from '../../base/http/request.js';
import { AccountMaking } from '../accounts/account-making.js';
import { mayMake } from '../accounts/account.rules.js';
import { AccountsService } from '../accounts/accounts.service.js';
import { OidcSignInGuard } from '../oidc/oidc.strategy.js';
import { sendPage } from '../pages/layout.js';
import { testPage } from '../pages/pages.js';
import { forgetCookie } from '../requests/browser-half.js';
import { SamlSignInGuard } from '../saml/saml.strategy.js';
import { sessionCookie, sessionToken } from '../sessions/session.cookie.js';
import { SignInLog } from '../sign-ins/sign-in-log.js';
import { TokenExchange } from '../tokens/token-exchange.js';
import { DocumentsGuard } from './documents.guard.js';
import { PendingOidcGuard, PendingSamlGuard } from './pending.guards.js';
import { RefusedSignIns } from './refusals.filter.js';
import { SignInCompletion } from './sign-in-completion.js';
import { SignInStart } from './sign-in-start.js';
import { cookiesOf, originOf, type SignInHttpRequest } from './sign-in.context.js';
import { workingTest } from './test-result.mapping.js';

/** How addresses name a connection, for the documentation. */
export const IDP_PROVIDER = { name: 'idp_provider', description: 'The slug of a connection.' };

/**
 * Where IdPs send people back: OIDC by GET, SAML by POST. The guards have found the sign-in that is answered, and have
 * verified the answer; what comes here is an IdP's word about somebody.
 */
@Controller('api/auth/callback/:idp_provider')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class CallbackController {
  constructor(
    private readonly completion: SignInCompletion,
    private readonly accounts: AccountsService,
    private readonly making: AccountMaking,
    private readonly start: SignInStart,
    private readonly tokens: TokenExchange,
    private readonly log: SignInLog,
  ) {}

  @Get()
  @UseGuards(PendingOidcGuard, OidcSignInGuard)
  @ApiOperation({ summary: 'The redirect URI of an OIDC connection' })
  @ApiResponse({ status: 303, description: 'Signed in, and on to `return_to`.' })
  oidc(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    return this.finish(req, res);
  }

  @Post()
  @UseGuards(PendingSamlGuard, SamlSignInGuard)
  @ApiOperation({ summary: 'The assertion consumer service of a SAML connection (HTTP-POST)' })
  @ApiResponse({ status: 303, description: 'Signed in, and on to `return_to`.' })
  saml(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    return this.finish(req, res);
  }

  private async finish(req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const { connection, request } = req.signInContext!;
    const verified = req.user!;
    if (request?.kind === 'test') return this.finishTest(req, res);
    const old = { token: sessionToken(cookiesOf(req)), hash: request?.session_hash ?? null };
    const target = this.start.targetOrHome(connection, request?.return_to ?? null);
    const signedIn = await this.completion.complete(connection, verified, old, originOf(req));
    res.setHeader('Set-Cookie', [
      sessionCookie(signedIn.token),
      ...(request === null ? [] : [forgetCookie(request.id)]),
    ]);
    if (target.application === null) return res.redirect(303, target.url);
    const url = new URL(target.url);
    const code = await this.tokens.code(connection.tenantId, {
      sessionId: signedIn.sessionId,
      audience: target.application,
      codeChallenge: request?.code_challenge ?? null,
    });
    url.searchParams.set('code', code);
    res.redirect(303, url.href);
  }

  /** Shows what a sign-in would have come to, and changes nothing but the log. */
  private async finishTest(req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const { connection, request } = req.signInContext!;
    const verified = req.user!;
    await this.completion.useOnce(connection, verified);
    const found = await this.accounts.find(connection, verified);
    if (found.person === null) {
      if (!mayMake(connection, found.refusal)) throw found.refusal;
      await this.making.demandMakeable(connection, found.account);
    }
    const who = found.person;
    const outcome =
      who === null
        ? 'This would make a new account.'
        : `This would sign in ${who.email ?? who.user_name} (${who.id}), found by: ${found.linkedBy}.`;
    await this.log.record(
      connection.tenantId,
      {
        kind: 'test',
        connectionId: connection.id,
        outcome: 'success',
        account: found.account.shown,
        subject: verified.subject,
        userId: who?.id ?? null,
        linkedBy: who === null ? null : found.linkedBy,
      },
      originOf(req),
    );
    res.setHeader('Set-Cookie', forgetCookie(request!.id));
    sendPage(res, testPage(workingTest(connection, verified, outcome)));
  }
}
