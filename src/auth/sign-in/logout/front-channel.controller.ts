import { Controller, Get, Query, Req, Res, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { MethodNotAllowed } from '../../../base/http/http.errors.js';
import { queryText, type Query as QueryMap } from '../../../base/http/query.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { IDP_PROVIDER } from '../../connections/slug.rules.js';
import { sendFramedPage } from '../pages/layout.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { PendingSignIns } from '../callback/pending-sign-ins.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { originOf, type SignInHttpRequest } from '../sign-in.context.js';
import { DescribedFrontChannel } from './logout.description.js';
import { IdpLogoutService } from './idp-logout.service.js';

/** The maximum length of the `sid` of an ID token. */
const MAX_SID = 1024;

/**
 * Front-channel logout: an IdP has the browser load this address in a frame. The session's cookie does not come with it
 * (`SameSite=Lax`), so the session is found by the IdP's name for it.
 */
@Controller('api/auth/frontchannel-logout/:idp_provider')
@ApiTags('sign-in')
@ApiParam(IDP_PROVIDER)
@UseFilters(RefusedSignIns)
export class FrontChannelController {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly logout: IdpLogoutService,
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
