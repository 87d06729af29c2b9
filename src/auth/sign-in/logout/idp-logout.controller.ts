import { Controller, Get, HttpCode, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { Unavailable } from '../../../base/errors/domain-error.js';
import { readForm } from '../../../base/http/form.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import { rawQuery, type BridgeResponse } from '../../../base/http/request.js';
import { SAML_FIELDS } from '../../../protocols/saml/answer.js';
import type { ArrivedLogout } from '../../../protocols/saml/logout.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { IDP_PROVIDER } from '../../connections/names.rules.js';
import { PendingSignIns } from '../callback/pending-sign-ins.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { SignInLog } from '../log/sign-in-log.js';
import { sendPage, TenantFaces } from '../pages/layout.js';
import { handoverPage } from '../pages/pages.js';
import { RefusedSignIns } from '../refusal-pages/refusals.filter.js';
import { originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { LogoutRefused, refusalIn, type SignInRefused } from '../sign-in.errors.js';
import { DescribedBackChannel, DescribedSloByPost, DescribedSloByRedirect } from './logout.controller.js';
import { LogoutService } from './logout.service.js';

const FORM_BYTES = 256 * 1024;
/** OIDC Back-Channel Logout 1.0 §2.8. */
const BCL_ERROR = { members: { error: 'invalid_request', error_description: 'The logout token is not accepted.' } };

@Controller('api/auth')
@ApiTags('sign-in')
@UseFilters(RefusedSignIns)
export class IdpLogoutController {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly logout: LogoutService,
    private readonly limits: SignInLimits,
    private readonly log: SignInLog,
    private readonly addresses: AuthAddresses,
    private readonly faces: TenantFaces,
  ) {}

  @Get('slo/:idp_provider')
  @ApiParam(IDP_PROVIDER)
  @ApiOperation({ summary: 'SAML single logout, HTTP-Redirect: the IdP’s request, or its answer to ours' })
  @DescribedSloByRedirect()
  byRedirect(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    // The raw query: the signature covers its octets.
    return this.slo(req, res, async () => ({ binding: 'redirect', rawQuery: rawQuery(req) }));
  }

  @Post('slo/:idp_provider')
  @ApiParam(IDP_PROVIDER)
  @HttpCode(200)
  @ApiOperation({ summary: 'The same, HTTP-POST' })
  @DescribedSloByPost()
  byPost(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    return this.slo(req, res, async () => ({ binding: 'post', form: await readForm(req, FORM_BYTES, SAML_FIELDS) }));
  }

  @Post('backchannel-logout/:idp_provider')
  @ApiParam(IDP_PROVIDER)
  @HttpCode(200)
  @ApiOperation({ summary: 'OIDC Back-Channel Logout 1.0: a form with a `logout_token`' })
  @DescribedBackChannel()
  async backChannel(@Req() req: SignInHttpRequest): Promise<void> {
    try {
      // The connection first: without one, the form is not read.
      const connection = await this.pending.connectionOf(req, 'oidc', 'logout');
      await this.limits.demandLogoutTriesLeft(req.ip ?? '', connection.tenantId);
      const token = (await readForm(req, FORM_BYTES, ['logout_token'])).get('logout_token');
      if (token === undefined) throw new LogoutRefused('The form has no logout_token.', BCL_ERROR);
      await this.logout.byBackChannel(connection, token, originOf(req));
    } catch (error) {
      const refused = refusalIn(error);
      if (refused === null) throw error;
      await this.note(req, refused);
      if (refused.reason === 'too_many_tries') throw new TooManyRequests('Too many logout tokens were refused.', 60);
      if (refused.reason === 'idp_unreachable') {
        throw new Unavailable('The keys of the IdP are not available at the moment.', 30, refused);
      }
      // Server to server, so no page. The reason is in the log of the tenant.
      throw new LogoutRefused('The logout token is not accepted.', { ...BCL_ERROR, cause: refused });
    }
  }

  private async slo(req: SignInHttpRequest, res: BridgeResponse, read: () => Promise<ArrivedLogout>): Promise<void> {
    const connection = await this.pending.connectionOf(req, 'saml', 'logout');
    await this.limits.demandLogoutTriesLeft(req.ip ?? '', connection.tenantId);
    const arrived = await read();
    req.signInContext!.answersLogout = isAnswer(arrived);
    const step = await this.logout.bySaml(connection, arrived, originOf(req));
    if (step === null) res.redirect(303, this.addresses.signedOut);
    else if (step.kind === 'form') sendPage(res, handoverPage(step), await this.faces.of(connection.tenantId));
    else res.redirect(303, step.url);
  }

  private async note(req: SignInHttpRequest, refused: SignInRefused): Promise<void> {
    const connection = req.signInContext?.connection;
    await this.limits.noteLogoutFailure(req.ip ?? '', connection?.tenantId ?? '');
    if (connection === undefined) return;
    const { reason, message: detail } = refused;
    const entry = { kind: 'logout', connectionId: connection.id, outcome: 'refused', reason, detail } as const;
    await this.log.record(connection.tenantId, entry, originOf(req));
  }
}

function isAnswer(arrived: ArrivedLogout): boolean {
  const fields = arrived.binding === 'post' ? arrived.form : new URLSearchParams(arrived.rawQuery);
  return fields.has('SAMLResponse') && !fields.has('SAMLRequest');
}
