import { applyDecorators, Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiProperty,
  getSchemaPath,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { NotFound, Unavailable, type DomainError } from '../../../base/errors/domain-error.js';
import { ApiRefusals } from '../../../base/http/api-answers.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { bearerToken } from '../../../tenancy/tenants/caller.js';
import { Unauthenticated } from '../../../tenancy/tenants/tenants.errors.js';
import type { Connection } from '../../connections/connection.js';
import { IDP_PROVIDER } from '../../connections/names.rules.js';
import { ConnectionStore } from '../../connections/store.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInLog } from '../log/sign-in-log.js';
import { originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { refusalIn, type SignInRefused } from '../sign-in.errors.js';
import { readSubject } from './revocation.rules.js';
import { RevocationService } from './revocation.service.js';

/** RFC 9493 §3.2.2. */
class EmailSubject {
  @ApiProperty({ enum: ['email'] })
  format!: 'email';
  @ApiProperty({ maxLength: 1_024, example: 'ada@example.com' })
  email!: string;
}

/** RFC 9493 §3.2.4. */
class IssuerSubject {
  @ApiProperty({ enum: ['iss_sub'] })
  format!: 'iss_sub';
  @ApiProperty({ maxLength: 1_024, description: 'The issuer, or the entity id, of the connection.' })
  iss!: string;
  @ApiProperty({ maxLength: 1_024, description: '`sub`, or the NameID.' })
  sub!: string;
}

/** RFC 9493 §3.2.5. */
class OpaqueSubject {
  @ApiProperty({ enum: ['opaque'] })
  format!: 'opaque';
  @ApiProperty({ maxLength: 1_024, description: 'The IdP’s own id of the user, or ours.' })
  id!: string;
}

const SUBJECTS = [EmailSubject, IssuerSubject, OpaqueSubject];

function DescribedRevocation(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(...SUBJECTS),
    ApiHeader({
      name: 'Authorization',
      required: true,
      schema: { type: 'string' },
      description:
        '`Bearer` and a JWT of the type `global-token-revocation+jwt`, signed with a key of the connection’s IdP: `iss` its issuer, `aud` this address, `iat`, `exp` and a new `jti`.',
    }),
    ApiBody({
      schema: {
        type: 'object',
        required: ['sub_id'],
        properties: {
          sub_id: {
            oneOf: SUBJECTS.map((one) => ({ $ref: getSchemaPath(one) })),
            discriminator: { propertyName: 'format' },
          },
        },
      },
    }),
    ApiNoContentResponse({ description: 'All sessions of the user are over, on every process. Empty.' }),
    ApiRefusals({
      400: ['several_credentials'],
      401: ['credential_missing', 'credential_invalid'],
      429: ['too_many_requests'],
    }),
  );
}

/** Universal logout: an IdP ends the sessions of a user (Global Token Revocation). */
@Controller('api/auth/global-token-revocation/:idp_provider')
@ApiTags('sign-in')
export class RevocationController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly revocation: RevocationService,
    private readonly limits: SignInLimits,
    private readonly log: SignInLog,
  ) {}

  @Post()
  @HttpCode(204)
  @ApiParam(IDP_PROVIDER)
  @ApiOperation({
    summary: 'Universal logout: the IdP ends all sessions of a user',
    description:
      'One-time codes and refresh tokens of the sessions end with them; a JWT that was handed out lives out its five minutes. Each token counts once.',
  })
  @DescribedRevocation()
  async revoke(
    @Req() req: SignInHttpRequest,
    @Param('idp_provider') slug: string,
    @Body() body: unknown,
  ): Promise<void> {
    const connection = await this.connections.bySlug(slug);
    if (connection === null) throw new NotFound('connection');
    req.tenantId = connection.tenantId;
    const token = bearerToken(req);
    if (token === null) throw new Unauthenticated('missing');
    try {
      const proof = await this.revocation.verify(connection, token.text);
      await this.revocation.revoke(connection, proof, readSubject(body), originOf(req));
    } catch (error) {
      const refused = refusalIn(error);
      throw refused === null ? error : await this.answerTo(refused, req, connection);
    }
  }

  private async answerTo(
    refused: SignInRefused,
    req: SignInHttpRequest,
    { id, tenantId }: Connection,
  ): Promise<DomainError> {
    const { reason, message: detail } = refused;
    if (!(await this.limits.noteGrantFailure(req.ip ?? '', tenantId))) {
      return new TooManyRequests('Too many revocation tokens were refused.', 60);
    }
    const entry = { kind: 'logout', connectionId: id, outcome: 'refused', reason, detail } as const;
    await this.log.record(tenantId, entry, originOf(req));
    if (reason === 'token_refused' || reason === 'replayed') return new Unauthenticated('invalid');
    return new Unavailable('The keys of the IdP are not available at the moment.', 30, refused);
  }
}
