import { applyDecorators, Controller, Get, Post, Req, Res, UseFilters, UseGuards, Param, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiProperty,
  ApiQuery,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiExcludeEndpoint,
} from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { ApiFilter, ApiHtml, ApiRedirect, ApiForeignQuery, ApiRefusals } from '../../../base/http/api-answers.js';
import { proveCaller } from '../../../base/http/connection-bound.js';
import { hostCookie } from '../../../base/http/cookies.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { IDP_PROVIDER } from '../../connections/names.rules.js';
import { ConnectionStore } from '../../connections/store.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { sessionToken, DocumentsGuard } from '../browser-sessions/session.guard.js';
import { reasonsBut, RefusalPages, RefusedSignIns, StaleSignIns } from '../refusal-pages/refusals.filter.js';
import { newHandle } from '../requests/browser-half.js';
import type { SignInRequest } from '../requests/sign-in-requests.repository.js';
import { SignInStart } from '../requests/sign-in-start.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import type { VerifiedSignIn } from '../accounts/verified-sign-in.js';
import { SignInRefused } from '../sign-in.errors.js';
import { TokenExchange } from '../tokens/token-exchange.js';
import { SignInCompletion, type SignedIn } from './sign-in-completion.js';
import { OidcSignInGuard, SamlSignInGuard } from './sign-in.guards.js';

/** Without the reasons that only SAML has, and those of the page after it. */
const OF_OIDC = reasonsBut(
  'unsolicited',
  'landing_lost',
  'message_malformed',
  'message_too_large',
  'dtd_refused',
  'structure_refused',
  'signature_missing',
  'recipient_mismatch',
  'destination_mismatch',
  'assertion_expired',
  'assertion_not_yet_valid',
  'status_not_success',
  'in_response_to_mismatch',
  'replayed',
  'decryption_failed',
  'name_id_missing',
);
/** Without the reasons that only OIDC has, and those that lead to the page after it. */
// prettier-ignore
const OF_SAML = reasonsBut(
  'state_unknown', 'state_used', 'state_expired', 'other_browser', 'landing_lost',
  'idp_error', 'idp_unreachable', 'token_refused',
  'nonce_mismatch', 'token_expired', 'token_not_yet_valid', 'userinfo_mismatch', 'authentication_too_weak',
);

const TEST = 'Of a test sign-in: the page with its result, successful or refused. No session begins.';

function DescribedOidcCallback(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiQuery({ name: 'state', description: 'Which sign-in is answered.' }),
    ApiFilter('code', 'RFC 6749 §4.1.2; missing with `error`.'),
    ApiFilter('iss', 'The issuer (RFC 9207); demanded where the IdP promises it.'),
    ApiFilter('error', 'RFC 6749 §4.1.2.1, OIDC Core §3.1.2.6.'),
    ApiFilter('error_description', 'Goes to the sign-in log.'),
    ApiFilter('error_uri', 'Ignored, like all other parameters of an IdP.'),
    ApiFilter('session_state', 'Passed over.'),
    ApiHtml(200, TEST),
    ApiRedirect(
      303,
      'Signed in, with the session’s cookie, and on to `return_to`; an application of another origin gets `code` there. An answer that came again or too late leads on as well where a user is signed in.',
    ),
    RefusalPages(OF_OIDC),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}

/** SAML Bindings §3.5. */
class SamlAnswerForm {
  @ApiProperty({ description: 'A Response, in base64.' })
  SAMLResponse!: string;
  @ApiProperty({ required: false, description: 'The value of the request.' })
  RelayState?: string;
}

function DescribedSamlCallback(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ type: SamlAnswerForm }),
    ApiHtml(200, TEST),
    ApiRedirect(
      303,
      'To a page of ours, which the browser asks for with all its cookies, and then on to `return_to`. An answer that came again or too late, or to another browser, leads there too, and on where a user is signed in.',
    ),
    RefusalPages(OF_SAML),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}

// A SAML answer is a form that another site posts, so the session's cookie does not come with it and an earlier session
// cannot be seen. The new session waits in a cookie of its own for the next request, which goes to our own site.

const PREFIX = '__Host-landing-';
/** The browser follows the redirect at once. */
const LANDING_SECONDS = 60;

function landingToken(cookies: ReadonlyMap<string, string>, handle: string): string | null {
  return cookies.get(nameOf(handle)) ?? null;
}

function landingCookie(handle: string, token: string): string {
  return hostCookie(nameOf(handle), token, 'Lax', LANDING_SECONDS);
}

function noLandingCookie(handle: string): string {
  return hostCookie(nameOf(handle), '', 'Lax', 0);
}

function nameOf(handle: string): `__Host-${string}` {
  return `${PREFIX}${handle.slice(0, 17)}`;
}

/** How far the clocks of the IdP and of this service may differ. */
const SKEW_MS = 60_000;

/**
 * Returns a note when the IdP was asked to authenticate the user anew (`prompt=login`, `ForceAuthn`) and did not.
 *
 * @param request the sign-in that the IdP answers; null when the IdP began it
 */
export function withoutNewAuthentication(
  { authenticatedAt }: Pick<VerifiedSignIn, 'authenticatedAt'>,
  request: Pick<SignInRequest, 'asked_anew' | 'created_at'> | null,
): string | null {
  if (request === null || !request.asked_anew) return null;
  const asked = 'The IdP was asked to authenticate the user anew, and';
  if (authenticatedAt === null) {
    return `${asked} does not state when the user authenticated (auth_time): the sign-in does not count as recent.`;
  }
  if (authenticatedAt.getTime() >= request.created_at.getTime() - SKEW_MS) return null;
  return `${asked} answered by an authentication of ${authenticatedAt.toISOString()}, which counts in place of this sign-in.`;
}

/** The guards accept verified answers, and use up their sign-in requests. The controller completes the sign-in. */
@Controller('api/auth/callback/:idp_provider')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@UseGuards(DocumentsGuard)
@UseFilters(RefusedSignIns)
export class CallbackController {
  constructor(
    private readonly completion: SignInCompletion,
    private readonly exchange: TokenExchange,
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
    if (session !== null) await this.exchange.arrive(res, connection, request, session);
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

  private async finish(req: SignInHttpRequest, res: BridgeResponse, old: string | null): Promise<SignedIn | null> {
    const { connection, request } = req.signInContext!;
    proveCaller(req);
    if (request?.kind !== 'test') {
      const verified = { ...req.user!, staleness: withoutNewAuthentication(req.user!, request) };
      return this.completion.complete(connection, verified, old, originOf(req));
    }
    await this.completion.finishTest(req, res);
    return null;
  }
}

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
    private readonly exchange: TokenExchange,
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
    await this.exchange.arrive(res, connection, request, began, [noLandingCookie(handle)]);
  }
}
