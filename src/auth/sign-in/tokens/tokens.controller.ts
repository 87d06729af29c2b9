import { Controller, Get, HttpCode, Post, Req, Res, type Type } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { parseToken } from '../../../base/crypto/tokens.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import { readForm } from '../../../base/http/form.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { readBody } from '../../../base/http/validate.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { JwksBody } from '../../connections/dto.js';
import { ServiceKeys } from '../../connections/keys/service-keys.js';
import { demandSameSite, sessionToken } from '../browser-sessions/session.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { cookiesOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { InvalidGrant, InvalidTokenRequest } from '../sign-in.errors.js';
import { TokenExchange, type Introspection } from './token-exchange.js';
import { IntrospectAsk, IntrospectionBody, IssuedTokenBody, TokenAsk } from './tokens.dto.js';

const FORM_BYTES = 16 * 1024;
const ASK_FIELDS = ['grant_type', 'code', 'code_verifier', 'refresh_token'];
const FORMS = ['application/json', 'application/x-www-form-urlencoded'];

@Controller()
@ApiTags('sign-in')
@ApiRefusals()
export class TokensController {
  constructor(
    private readonly tokens: TokenExchange,
    private readonly keys: ServiceKeys,
    private readonly addresses: AuthAddresses,
    private readonly limits: SignInLimits,
  ) {}

  @Post('api/auth/token')
  @HttpCode(200)
  @ApiOperation({
    summary: 'A token for a one-time code, for a refresh token, or for the session’s own cookie',
    description: 'Further fields of OAuth libraries (`client_id`, `redirect_uri`, `scope`, …) are ignored.',
  })
  @ApiConsumes(...FORMS)
  @ApiBody({ type: TokenAsk, required: false })
  @ApiOkResponse({ type: IssuedTokenBody })
  @ApiRefusals({
    400: ['invalid_grant', 'invalid_token_request'],
    401: ['no_session'],
    403: ['cross_site_request'],
    422: [],
    429: ['too_many_requests'],
  })
  async issue(@Req() req: SignInHttpRequest): Promise<IssuedTokenBody> {
    const ask = readAsk(TokenAsk, await fieldsOf(req, ASK_FIELDS));
    const { code, refresh_token: refresh, grant_type: grant } = ask;
    if (code !== undefined && refresh !== undefined) {
      throw new InvalidTokenRequest('invalid_request', 'refresh_token', 'must not come together with code');
    }
    if (grant !== undefined) demandGrant(grant, ask);
    if (code !== undefined) return this.counted(req, code, () => this.tokens.byCode(code, ask.code_verifier ?? null));
    if (refresh !== undefined) return this.counted(req, refresh, () => this.tokens.byRefresh(refresh));
    demandSameSite(req, this.addresses.origin);
    return this.tokens.bySession(sessionToken(cookiesOf(req)));
  }

  @Post('api/auth/introspect')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Whether a token is good at this moment, its session included (RFC 7662)',
    description: 'Needs no credential: a token shows everything in the answer except whether it is active.',
  })
  @ApiConsumes(...FORMS)
  @ApiBody({ type: IntrospectAsk })
  @ApiOkResponse({ type: IntrospectionBody })
  @ApiRefusals({ 400: ['invalid_token_request'], 422: [] })
  async introspect(@Req() req: SignInHttpRequest): Promise<Introspection> {
    return this.tokens.introspect(readAsk(IntrospectAsk, await fieldsOf(req, ['token'])).token);
  }

  @Get('.well-known/jwks.json')
  @ApiOperation({ summary: 'The keys that tokens are signed with (RFC 7517); the next one is there before it is used' })
  @ApiOkResponse({ type: JwksBody })
  async jwks(@Res() res: BridgeResponse): Promise<void> {
    res.setHeader('Cache-Control', 'public, max-age=300');
    res.json(await this.keys.jwks());
  }

  /** Counts wrong codes and tokens, and refuses with 429 when there are too many. Valid ones are never counted. */
  private async counted(
    req: SignInHttpRequest,
    token: string,
    exchange: () => Promise<IssuedTokenBody>,
  ): Promise<IssuedTokenBody> {
    try {
      return await exchange();
    } catch (error) {
      if (!(error instanceof InvalidGrant)) throw error;
      const tenantId = parseToken(token)?.tenantId ?? '';
      if (await this.limits.noteGrantFailure(req.ip ?? '', tenantId)) throw error;
      throw new TooManyRequests('Too many codes and tokens were refused.', 1);
    }
  }
}

/** Errors have the form of OAuth (RFC 6749 §5.2). */
function readAsk<T extends object>(dto: Type<T>, fields: unknown): T {
  try {
    return readBody(dto, fields);
  } catch (error) {
    const wrong = error instanceof InvalidFields ? error.extras.errors?.[0] : undefined;
    throw wrong === undefined ? error : new InvalidTokenRequest('invalid_request', wrong.field, wrong.message);
  }
}

function demandGrant(grant: string, ask: TokenAsk): void {
  const field = { authorization_code: 'code', refresh_token: 'refresh_token' }[grant];
  if (field === undefined) {
    const message = 'must be authorization_code or refresh_token';
    throw new InvalidTokenRequest('unsupported_grant_type', 'grant_type', message);
  }
  if (ask[field as 'code' | 'refresh_token'] === undefined) {
    throw new InvalidTokenRequest('invalid_request', field, `is needed with grant_type ${grant}`);
  }
}

/** As JSON or as a form (RFC 6749, RFC 7662). */
async function fieldsOf(req: SignInHttpRequest, names: readonly string[]): Promise<unknown> {
  const isForm = (req.headers['content-type'] ?? '').includes('x-www-form-urlencoded');
  return isForm ? Object.fromEntries(await readForm(req, FORM_BYTES, names)) : (req.body as unknown);
}
