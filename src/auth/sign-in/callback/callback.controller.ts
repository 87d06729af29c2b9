import { Controller, Get, Post, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { proveCaller } from '../../../base/http/connection-bound.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AccountsService, refusalError } from '../accounts/accounts.service.js';
import type { ClaimedAccount } from '../accounts/claims.mapping.js';
import { AuthAddresses } from '../../connections/addresses.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { IDP_PROVIDER } from '../../connections/slug.rules.js';
import { DomainsStore } from '../../connections/domains/domains.store.js';
import { sendPage } from '../pages/layout.js';
import { testPage } from '../pages/pages.js';
import { TenantFaces } from '../pages/tenant-faces.js';
import { newHandle } from '../requests/browser-half.js';
import { sessionToken } from '../sessions/session.cookie.js';
import type { SignInRefusalReason } from '../refusals/sign-in-refused.js';
import { SignInLog } from '../log/sign-in-log.js';
import { Arrival } from './arrival.js';
import { DescribedOidcCallback, DescribedSamlCallback } from './callback.description.js';
import { DocumentsGuard } from '../documents.guard.js';
import { landingCookie } from './landing.cookie.js';
import { OidcSignInGuard, SamlSignInGuard } from './sign-in.guards.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import type { SignedIn } from './known-sign-in.js';
import { SignInCompletion } from './sign-in-completion.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../sign-in.context.js';
import { workingTest } from '../test-sign-ins/test-result.mapping.js';
import { TestResults } from '../test-sign-ins/test-results.js';

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
    private readonly connections: ConnectionStore,
    private readonly domains: DomainsStore,
    private readonly completion: SignInCompletion,
    private readonly accounts: AccountsService,
    private readonly arrival: Arrival,
    private readonly log: SignInLog,
    private readonly addresses: AuthAddresses,
    private readonly clock: Clock,
    private readonly faces: TenantFaces,
    private readonly results: TestResults,
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
    const { connection, request } = req.signInContext!;
    const session = await this.finish(req, res, null);
    if (session === null) return;
    const handle = request?.id ?? newHandle(this.clock.now());
    res.setHeader('Set-Cookie', landingCookie(handle, session.token));
    res.redirect(303, this.addresses.landing(connection.slug, { request: handle }));
  }

  /** Begins the session; null after a test sign-in, which has been answered. */
  private async finish(req: SignInHttpRequest, res: BridgeResponse, old: string | null): Promise<SignedIn | null> {
    const { connection, request } = req.signInContext!;
    proveCaller(req);
    if (request?.kind !== 'test') return this.completion.complete(connection, req.user!, old, originOf(req));
    await this.finishTest(req, res);
    return null;
  }

  /** Shows the result of a test sign-in. Changes nothing but the log. */
  private async finishTest(req: SignInHttpRequest, res: BridgeResponse): Promise<void> {
    const { connection } = req.signInContext!;
    const verified = req.user!;
    await this.completion.useOnce(connection, verified);
    const { account, decision } = await this.accounts.resolve(connection, verified);
    if (decision.kind === 'refuse') {
      if (await this.lacksOnlyTheDomain(connection, decision.reason, account)) {
        await this.connections.noteSuccess(connection);
      }
      throw refusalError(decision, account);
    }
    const user = decision.kind === 'create' ? null : decision.user;
    const linkedBy = decision.kind === 'create' ? null : decision.kind === 'keep' ? 'known' : decision.linkedBy;
    const outcome =
      user === null
        ? 'This would create a new account.'
        : `This would sign in ${user.email ?? user.user_name} (${user.id}), found by: ${linkedBy}.`;
    await this.log.record(
      connection.tenantId,
      {
        kind: 'test',
        connectionId: connection.id,
        outcome: 'success',
        detail: verified.userInfoProblem ?? null,
        account: account.shown,
        subject: verified.subject,
        userId: user?.id ?? null,
        linkedBy,
      },
      originOf(req),
    );
    await this.connections.noteSuccess(connection);
    const result = workingTest(connection, verified, outcome);
    // The cookie lives as long as the result, so that the page can be reloaded.
    const cookie = await this.results.keep(req, result);
    if (cookie !== null) res.setHeader('Set-Cookie', cookie);
    sendPage(res, testPage(result), await this.faces.of(connection.tenantId));
  }

  /**
   * Whether a test is refused only because the verified domain of the e-mail is not bound to the connection. Such a test
   * counts: a domain can be bound to a tested connection only.
   */
  private async lacksOnlyTheDomain(
    { tenantId, jit, directoryId }: Connection,
    reason: SignInRefusalReason,
    { emailDomain }: ClaimedAccount,
  ): Promise<boolean> {
    const creates = jit && directoryId === null;
    if (creates || reason !== 'email_outside_domains' || emailDomain === null) return false;
    return (await this.domains.owner(emailDomain))?.tenantId === tenantId;
  }
}
