import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiProperty, ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Config } from '../../base/config/config.js';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { Text } from '../../base/http/fields.js';
import { readForm } from '../../base/http/form.js';
import { RateLimiter, limitRate } from '../../base/http/rate-limit.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ID_TOKEN_ALGS } from '../../protocols/oidc/oidc-settings.js';
import { TenantAddresses } from '../../tenancy/tenants/tenant-addresses.js';
import { Unauthenticated } from '../../tenancy/tenants/tenants.errors.js';
import { DirectoryStore } from '../directories/directory.store.js';
import { AccessTokens, type AuthenticatedClient } from './access-tokens.service.js';
import { tokenAddressOf, readTokenRequest, TOKEN_FIELDS } from './client.rules.js';
import { ClientRefused } from './clients.errors.js';

const OPTIONAL = { optional: true, max: 16_384 } as const;

/** The form of a request for an access token (RFC 6749 §4.4.2, RFC 7523 §2.2). Other fields are ignored. */
export class TokenForm {
  @Text({ max: 64, description: '`client_credentials`.' })
  grant_type!: string;
  @Text({ ...OPTIONAL, description: 'The id of the client; not with Basic authentication.' })
  client_id?: string;
  @Text({ ...OPTIONAL, description: 'The secret of the client; not with Basic authentication.' })
  client_secret?: string;
  @Text({ ...OPTIONAL, description: '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`' })
  client_assertion_type?: string;
  @Text({ ...OPTIONAL, description: 'A JWT of the client, or of the issuer that it is federated with.' })
  client_assertion?: string;
  @Text({ ...OPTIONAL, description: 'Any text: the answer names the scope that is granted.' })
  scope?: string;
}

class AccessTokenBody {
  @ApiProperty({ description: 'A credential of SCIM: `Authorization: Bearer <access_token>`.' })
  access_token!: string;
  @ApiProperty({ enum: ['Bearer'] })
  token_type!: string;
  @ApiProperty({ type: 'integer', description: 'Seconds.' })
  expires_in!: number;
  @ApiProperty({ enum: ['scim'] })
  scope!: string;
}

/** The metadata of an authorization server (RFC 8414 §2). */
class AuthorizationServerBody {
  @ApiProperty()
  issuer!: string;
  @ApiProperty()
  token_endpoint!: string;
  @ApiProperty({ type: [String] })
  token_endpoint_auth_methods_supported!: string[];
  @ApiProperty({ type: [String] })
  token_endpoint_auth_signing_alg_values_supported!: string[];
  @ApiProperty({ type: [String] })
  grant_types_supported!: string[];
  @ApiProperty({ type: [String] })
  response_types_supported!: string[];
  @ApiProperty({ type: [String] })
  scopes_supported!: string[];
  @ApiProperty()
  service_documentation!: string;
}

const FORM_BYTES = 16 * 1024;
const SCOPE = 'scim';

/** Access tokens for SCIM (RFC 6749 §4.4), and the metadata of the authorization server (RFC 8414). */
@Controller()
@ApiTags('directories')
export class TokenController {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly addresses: TenantAddresses,
    private readonly directories: DirectoryStore,
    private readonly limiter: RateLimiter,
    private readonly config: Config,
  ) {}

  @Post('oauth/token')
  @HttpCode(200)
  @ApiOperation({
    summary: 'An access token for SCIM, for a client of a directory (RFC 6749 §4.4)',
    description:
      'The client authenticates with its secret, as Basic authentication or in the form, or with a signed assertion (RFC 7523 §2.2). Errors are those of RFC 6749 §5.2: `{"error", "error_description"}`. Another `scope` is accepted, and answered with `scim`.',
  })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: TokenForm })
  @ApiOkResponse({ type: AccessTokenBody })
  @ApiRefusals({
    400: ['invalid_request', 'unsupported_grant_type'],
    401: ['invalid_client'],
    422: [],
    429: ['too_many_requests'],
  })
  async issue(@Req() req: BridgeRequest, @Res({ passthrough: true }) res: BridgeResponse): Promise<AccessTokenBody> {
    const proof = readTokenRequest(await readForm(req, FORM_BYTES, TOKEN_FIELDS), authorizationsOf(req.rawHeaders));
    const authenticated = await this.tokens.authenticate(proof, req.ip);
    await this.demandPlace(req, authenticated);
    const { client } = authenticated;
    limitRate(this.limiter, res, `${client.id} tokens`, client.tenantId);
    const { token, seconds } = await this.tokens.issue(authenticated);
    req.tenantId = client.tenantId;
    req.credentialId = client.id;
    req.directoryId = client.directoryId;
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Pragma', 'no-cache');
    return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: SCOPE };
  }

  @Get('.well-known/oauth-authorization-server')
  @ApiOperation({
    summary: 'Where and how clients of directories get access tokens (RFC 8414)',
    description: 'At the own address of a tenant it names that address.',
  })
  @ApiOkResponse({ type: AuthorizationServerBody })
  @ApiRefusals()
  async metadata(
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<AuthorizationServerBody> {
    const host = (req.headers.host ?? '').toLowerCase();
    const base = (await this.addresses.has(host)) ? `https://${host}` : this.config.baseUrl;
    res.setHeader('Cache-Control', 'public, max-age=300');
    return {
      issuer: base,
      token_endpoint: tokenAddressOf(base),
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: [...ID_TOKEN_ALGS],
      grant_types_supported: ['client_credentials'],
      response_types_supported: [],
      scopes_supported: [SCOPE],
      service_documentation: `${this.config.appUrl}/docs`,
    };
  }

  /** Refuses a request at the address of another tenant, or from a network that the directory does not admit. */
  private async demandPlace(req: BridgeRequest, { client }: AuthenticatedClient): Promise<void> {
    const { networks } = await this.directories.get(client.tenantId, client.directoryId);
    if (!networks.admits(req.ip)) {
      throw this.tokens.refuse(client.id, client, new ClientRefused('outside_allow_from'), req.ip);
    }
    try {
      await this.addresses.demandOwn(req, client.tenantId);
    } catch (error) {
      if (!(error instanceof Unauthenticated)) throw error;
      throw this.tokens.refuse(client.id, client, new ClientRefused('wrong_address'), req.ip);
    }
  }
}

/** Returns each `Authorization` header: Node.js keeps the first of several. */
function authorizationsOf(raw: readonly string[]): string[] {
  return raw.filter((_, i) => i % 2 === 1 && raw[i - 1]!.toLowerCase() === 'authorization');
}
