import { Controller, Get, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation, ApiTags } from '@nestjs/swagger';
import { parseToken } from '../../../base/crypto/tokens.js';
import { ApiHtml, ApiRedirect, ApiRefusals } from '../../../base/http/api-answers.js';
import { readForm } from '../../../base/http/form.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { sendPage } from '../pages/layout.js';
import { ownerSignInPage } from '../pages/pages.js';
import { demandSameSite } from '../browser-sessions/same-site.js';
import { sessionCookie, sessionToken } from '../browser-sessions/session.cookie.js';
import { DocumentsGuard } from '../documents.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../sign-in.context.js';
import { OwnerSignInForm } from './owner-links.dto.js';
import { SignInLinkOver } from './owner-links.errors.js';
import { OwnerLinksService } from './owner-links.service.js';

const FORM_BYTES = 4_096;

/**
 * The page of an operator's sign-in link. Opening it shows a button and uses nothing up: mail scanners open links and
 * press no buttons.
 */
@Controller('api/auth/owner-sign-in')
@ApiTags('sign-in')
@UseGuards(DocumentsGuard)
export class OwnerSignInController {
  constructor(
    private readonly links: OwnerLinksService,
    private readonly limits: SignInLimits,
    private readonly addresses: AuthAddresses,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'The page of an operator’s sign-in link',
    description:
      'The secret is in the fragment of the address and does not come to this address; opening the page uses nothing up.',
  })
  @ApiHtml(200, 'A button that signs in. Without scripts, a field for the link.')
  @ApiRefusals({ 403: ['cross_site_request'] })
  page(@Res() res: BridgeResponse): void {
    sendPage(res, ownerSignInPage(this.addresses.ownerSignIn()));
  }

  @Post()
  @HttpCode(303)
  @ApiOperation({ summary: 'Signs in by such a link, and uses it up' })
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody({ type: OwnerSignInForm })
  @ApiRedirect(303, 'To the front page, with the session’s cookie.')
  @ApiRefusals({ 400: ['sign_in_link_over'], 403: ['cross_site_request'], 429: ['too_many_requests'] })
  async signIn(@Req() req: SignInHttpRequest, @Res() res: BridgeResponse): Promise<void> {
    demandSameSite(req, this.addresses.origin);
    const code = (await readForm(req, FORM_BYTES, ['code'])).get('code') ?? '';
    // A whole link may be pasted into the field.
    const token = await this.counted(req, code.slice(code.indexOf('#') + 1).trim());
    res.setHeader('Set-Cookie', sessionCookie(token));
    res.redirect(303, this.addresses.home);
  }

  /** Counts wrong links alone: a valid one is accepted, also from an address over the limit. */
  private async counted(req: SignInHttpRequest, secret: string): Promise<string> {
    try {
      return await this.links.signIn(secret, sessionToken(cookiesOf(req)), originOf(req));
    } catch (error) {
      if (!(error instanceof SignInLinkOver)) throw error;
      const tenantId = parseToken(secret)?.tenantId ?? '';
      if (await this.limits.noteGrantFailure(req.ip ?? '', tenantId)) throw error;
      throw new TooManyRequests('Too many sign-in links were refused.', 60);
    }
  }
}
