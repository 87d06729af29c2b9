import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { NotFound, Unavailable, type DomainError } from '../../../base/errors/domain-error.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { bearerToken } from '../../../tenancy/tenants/caller.js';
import { Unauthenticated } from '../../../tenancy/tenants/tenants.errors.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { IDP_PROVIDER } from '../../connections/slug.rules.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import type { SignInRefused } from '../refusals/sign-in-refused.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { originOf, type SignInHttpRequest } from '../sign-in.context.js';
import { SignInLog } from '../log/sign-in-log.js';
import { DescribedRevocation } from './revocation.description.js';
import { RevocationService } from './revocation.service.js';
import { RevocationTokens } from './revocation-tokens.js';
import { readSubject } from './subject.rules.js';

/** Universal logout: an IdP ends the sessions of a user (Global Token Revocation). */
@Controller('api/auth/global-token-revocation/:idp_provider')
@ApiTags('sign-in')
export class RevocationController {
  constructor(
    private readonly connections: ConnectionStore,
    private readonly tokens: RevocationTokens,
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
      const proof = await this.tokens.verify(connection, token.text);
      await this.revocation.revoke(connection, proof, readSubject(body), originOf(req));
    } catch (error) {
      const refused = refusalIn(error);
      throw refused === null ? error : await this.answerTo(refused, req, connection);
    }
  }

  /** Counts and logs a refusal, and returns the error to answer with. Valid tokens are never counted. */
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
