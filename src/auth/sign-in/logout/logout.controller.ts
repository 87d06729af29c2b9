import { applyDecorators, Controller, Get, HttpCode, Post, Req, Res, Query, UseFilters } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiProperty,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  getSchemaPath,
  ApiExtraModels,
  ApiExcludeEndpoint,
  ApiOperation,
  ApiTags,
  ApiParam,
} from '@nestjs/swagger';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { ApiFilter, ApiHtml, ApiRedirect, ApiForeignQuery, ApiRefusals } from '../../../base/http/api-answers.js';
import { readForm } from '../../../base/http/form.js';
import { MethodNotAllowed } from '../../../base/http/http.errors.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../../base/http/request.js';
import { SIGNATURE_ALGORITHMS } from '../../../protocols/saml/names.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { IDP_PROVIDER } from '../../connections/names.rules.js';
import { LiveSessions } from '../browser-sessions/live-sessions.js';
import { demandSameSite, noSessionCookie, sessionToken } from '../browser-sessions/session.guard.js';
import { PendingSignIns } from '../callback/pending-sign-ins.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { homePage } from '../pages/home-page.js';
import { sendPage, TenantFaces, sendFramedPage } from '../pages/layout.js';
import { handoverPage, signedOutPage } from '../pages/pages.js';
import { RefusalPages, RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { SignInRefused } from '../sign-in.errors.js';
import { LogoutService } from './logout.service.js';

const FORM = 'application/x-www-form-urlencoded';
const OURS = 'The IdP’s answer to our LogoutRequest; instead of `SAMLRequest`.';

function SloAnswers(): MethodDecorator {
  return applyDecorators(
    ApiHtml(200, 'A form to the IdP with our LogoutResponse, which sends itself (HTTP-POST).'),
    ApiRedirect(303, 'To the IdP with our LogoutResponse, or to the signed-out page.'),
    RefusalPages([
      'too_many_tries', 'binding_refused', 'message_malformed', 'message_too_large', 'dtd_refused', 'structure_refused',
      'signature_missing', 'signature_invalid', 'algorithm_refused', 'issuer_mismatch', 'destination_mismatch',
      'assertion_expired', 'assertion_not_yet_valid', 'name_id_missing', 'replayed', 'idp_answer_invalid',
    ]), // prettier-ignore
    ApiRefusals(),
  );
}

/** SAML Bindings §3.4. */
export function DescribedSloByRedirect(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiFilter('SAMLRequest', 'A LogoutRequest, deflated, in base64.'),
    ApiFilter('SAMLResponse', OURS),
    ApiFilter('RelayState', 'Goes back with our answer.'),
    ApiQuery({ name: 'SigAlg', enum: [...SIGNATURE_ALGORITHMS.keys()] }),
    ApiQuery({ name: 'Signature', description: 'Over the octets of the query as they are written.' }),
    ApiFilter('SAMLEncoding', undefined, { enum: ['urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE'] }),
    SloAnswers(),
  );
}

/** The form that an IdP has the browser post (SAML Bindings §3.5). */
class SamlLogoutForm {
  @ApiProperty({ required: false, description: 'A signed LogoutRequest, in base64.' })
  SAMLRequest?: string;
  @ApiProperty({ required: false, description: OURS })
  SAMLResponse?: string;
  @ApiProperty({ required: false, description: 'Goes back with our answer.' })
  RelayState?: string;
}

export function DescribedSloByPost(): MethodDecorator {
  return applyDecorators(ApiConsumes(FORM), ApiBody({ type: SamlLogoutForm }), SloAnswers());
}

/** The form that an IdP posts (OIDC Back-Channel Logout 1.0 §2.5). */
class LogoutTokenForm {
  @ApiProperty({ description: 'A JWT of the IdP, with `sub`, `sid` or both.' })
  logout_token!: string;
}

export function DescribedBackChannel(): MethodDecorator {
  return applyDecorators(
    ApiConsumes(FORM),
    ApiBody({ type: LogoutTokenForm }),
    ApiResponse({ status: 200, description: 'The sessions that it names are ended, if there were any. Empty.' }),
    ApiRefusals({ 400: ['logout_refused'], 429: ['too_many_requests'] }),
  );
}

function DescribedFrontChannel(): MethodDecorator {
  return applyDecorators(
    ApiForeignQuery(),
    ApiQuery({ name: 'iss', description: 'The issuer of the connection.' }),
    ApiQuery({ name: 'sid', description: 'The session at the IdP, as its ID token has named it.' }),
    ApiHtml(200, 'An empty page. It does not reveal whether there was such a session.'),
    RefusalPages(['too_many_tries', 'binding_refused', 'issuer_mismatch']),
    ApiRefusals({ 400: ['repeated_parameter'], 422: ['invalid_fields'] }),
  );
}

class SignedOutBody {
  @ApiProperty({ format: 'uri', description: 'The next address of the browser: at the IdP, or the signed-out page.' })
  redirect_to!: string;
}

function MaybeSession(): MethodDecorator {
  return applyDecorators(ApiSecurity('session'), ApiSecurity({}));
}

function DescribedLogout(): MethodDecorator {
  return applyDecorators(
    MaybeSession(),
    ApiExtraModels(SignedOutBody),
    ApiResponse({
      status: 200,
      description: 'The next address, or a form to the IdP that sends itself (SAML by HTTP-POST).',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(SignedOutBody) } },
        'text/html': { schema: { type: 'string' } },
      },
    }),
    ApiRedirect(303, 'To the IdP, or to the signed-out page.'),
    ApiRefusals({ 403: ['cross_site_request'] }),
  );
}

function DescribedSignedOut(): MethodDecorator {
  return ApiHtml(200, 'A page that confirms it, with a link to sign in again.');
}

function DescribedHome(): MethodDecorator {
  return applyDecorators(
    MaybeSession(),
    ApiHtml(200, 'The signed-in user, and a button to sign out.'),
    ApiRedirect(302, 'To the login, when there is no session.'),
    ApiRefusals(),
  );
}

const FORM_BYTES = 1_024;

@Controller()
@ApiTags('sign-in')
export class LogoutController {
  constructor(
    private readonly logout: LogoutService,
    private readonly sessions: LiveSessions,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  @Post('api/auth/logout')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Ends this session, then leads to the IdP’s own logout where it offers one',
    description:
      'A browser is redirected; a client that accepts JSON and no HTML gets `redirect_to`. A request without a session succeeds. The body is empty, like that of a form without fields.',
  })
  @DescribedLogout()
  async end(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const step = await this.logout.end(sessionToken(cookiesOf(req)), originOf(req));
    res.setHeader('Set-Cookie', noSessionCookie());
    const wantsJson = !(req.headers.accept ?? '').includes('text/html') && (req.headers.accept ?? '').includes('json');
    if (wantsJson) {
      // A script cannot follow a form: then the session at the IdP ends by its own limit.
      res.json({ redirect_to: step?.kind === 'redirect' ? step.url : this.addresses.signedOut });
    } else if (step?.kind === 'form') {
      sendPage(res, handoverPage(step));
    } else {
      res.redirect(303, step?.url ?? this.addresses.signedOut);
    }
  }

  @Get('api/auth/signed-out')
  @ApiOperation({ summary: 'The page after signing out' })
  @DescribedSignedOut()
  signedOut(@Res() res: BridgeResponse): void {
    sendPage(res, signedOutPage(this.addresses.login));
  }

  @Post('api/auth/sessions/end')
  @HttpCode(303)
  @ApiExcludeEndpoint()
  async endOne(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) return res.redirect(303, this.addresses.login);
    const id = (await readForm(req, FORM_BYTES, ['session_id'])).get('session_id') ?? '';
    // A session that has just ended is a success.
    await this.sessions.endOne(session.tenant_id, session.user_id, id, 'signed_out');
    res.redirect(303, this.addresses.home);
  }

  @Get()
  @ApiOperation({ summary: 'The home page of the signed-in user' })
  @DescribedHome()
  async home(@Req() req: BridgeRequest, @Res() res: BridgeResponse): Promise<void> {
    const session = await this.sessions.check(sessionToken(cookiesOf(req)));
    if (session === null) return res.redirect(302, this.addresses.login);
    const all = await this.sessions.list(session.tenant_id, session.user_id);
    const name = `${session.first_name} ${session.last_name}`.trim() || (session.email ?? session.user_id);
    sendPage(
      res,
      homePage({
        name,
        email: session.email,
        tenant: session.tenant_name,
        logout: this.addresses.logout,
        until: this.sessions.endOf(session),
        end: this.addresses.endSession,
        sessions: all.map((one) => ({
          id: one.id,
          userAgent: one.user_agent,
          ip: one.ip,
          connection: one.connection,
          createdAt: one.created_at,
          seenAt: one.seen_at,
          current: one.id === session.id,
        })),
      }),
      await this.faces.of(session.tenant_id),
    );
  }
}

const MAX_SID = 1024;

/**
 * Front-channel logout: an IdP has the browser load this address in a frame. The session's cookie does not come with it
 * (`SameSite=Lax`), so the session is found by the name that the IdP gave it.
 */
@Controller('api/auth/frontchannel-logout/:idp_provider')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@UseFilters(RefusedSignIns)
export class FrontChannelController {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly logout: LogoutService,
    private readonly limits: SignInLimits,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'OIDC Front-Channel Logout 1.0: ends the sessions that began with `sid` at the IdP',
    description:
      'The answer is the same whether there was such a session or not. Without `iss` and `sid` no session is ended.',
  })
  @DescribedFrontChannel()
  async end(@Req() req: SignInHttpRequest, @Query() query: QueryMap, @Res() res: BridgeResponse): Promise<void> {
    if (req.method === 'HEAD') throw new MethodNotAllowed('HEAD', ['GET']);
    const connection = await this.pending.connectionOf(req, 'oidc', 'logout');
    const address = req.ip ?? '';
    await this.limits.demandFrontChannelTriesLeft(address, connection.tenantId);
    const { iss, sid } = sessionIn(query);
    if (iss !== connection.issuer) {
      throw new SignInRefused('issuer_mismatch', 'The logout is of another issuer than that of the connection (iss).');
    }
    const found = await this.logout.byFrontChannel(connection, sid, originOf(req));
    if (!found) await this.limits.noteGuessedSession(address, connection.tenantId);
    sendFramedPage(res);
  }
}

function sessionIn(query: QueryMap): { iss: string; sid: string } {
  const [iss, sid] = [queryText(query, 'iss') ?? '', queryText(query, 'sid') ?? ''];
  const missing = 'is required: the IdP has to name its session (frontchannel_logout_session_required)';
  if (iss === '') throw new InvalidFields([{ field: 'iss', message: missing }]);
  if (sid === '') throw new InvalidFields([{ field: 'sid', message: missing }]);
  if (sid.length > MAX_SID || sid.includes('\0')) {
    throw new InvalidFields([{ field: 'sid', message: `must have 1 to ${MAX_SID} characters and no NUL` }]);
  }
  return { iss, sid };
}
