import { Body, Param, Post, Controller, Get, HttpCode, Req, Res, UseGuards } from '@nestjs/common';
import { ApiProperty, ApiOperation, ApiBody, ApiConsumes, ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../base/clock.js';
import { parseToken } from '../../../base/crypto/tokens.js';
import { ApiRecord, ApiRefusals, ApiHtml, ApiRedirect } from '../../../base/http/api-answers.js';
import { Text } from '../../../base/http/fields.js';
import { readForm } from '../../../base/http/form.js';
import { TooManyRequests } from '../../../base/http/http.errors.js';
import type { BridgeResponse } from '../../../base/http/request.js';
import { OperatorController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { operatorActOf } from '../../../tenancy/tenants/operator-acts.js';
import { REASON } from '../../../tenancy/tenants/tenants.dto.js';
import { AuthAddresses } from '../../connections/addresses.js';
import { demandSameSite, sessionCookie, sessionToken, DocumentsGuard } from '../browser-sessions/session.guard.js';
import { SignInLimits } from '../limits/sign-in-limits.js';
import { sendPage } from '../pages/layout.js';
import { ownerSignInPage } from '../pages/pages.js';
import { cookiesOf, originOf, type SignInHttpRequest } from '../requests/sign-in.context.js';
import { OwnerLinksService, type OwnerLink, SignInLinkOver } from './owner-links.service.js';

export class MakeOwnerLink {
  @Text({
    max: 64,
    optional: true,
    nullable: true,
    example: 'usr_01k0000000abcdefghjkmnpqrs',
    description: 'The owner, when left out; or one of the tenant’s break-glass accounts.',
  })
  user_id?: string | null;

  @Text(REASON)
  reason?: string;
}

class OwnerLinkBody {
  @ApiProperty({ format: 'uri', description: 'Works once. The secret is in the fragment, which no server sees.' })
  url!: string;
  @ApiProperty({ description: 'The user who signs in by it.' })
  user_id!: string;
  @ApiProperty({ description: 'Ten minutes from now.' })
  expires_at!: Date;
}

export class OwnerSignInForm {
  @ApiProperty({ description: 'The secret of the link, or the whole link.' })
  code!: string;
}

@OperatorController('tenants/:tenant_id/owner-sign-in-link')
@ApiRefusals()
export class OwnerLinksController {
  constructor(
    private readonly links: OwnerLinksService,
    private readonly clock: Clock,
  ) {}

  @RecentSignIn()
  @Post()
  @ApiOperation({
    summary: 'A sign-in link for the owner of a tenant: works once, for ten minutes',
    description: 'A new link ends the earlier one of the same user. Making and using it are in the tenant’s audit log.',
  })
  @ApiRecord(OwnerLinkBody, 201)
  @ApiRefusals({ 409: ['no_owner', 'owner_inactive'] })
  make(
    @CurrentCaller() caller: Caller,
    @Param('tenant_id') tenantId: string,
    @Body() body: MakeOwnerLink,
  ): Promise<OwnerLink> {
    const act = operatorActOf(caller, body, this.clock.now());
    return this.links.make({ tenantId, ...act }, body.user_id ?? null);
  }
}

const FORM_BYTES = 4_096;

/** The page of an operator's sign-in link. Opening it uses nothing up: mail scanners open links and press no buttons. */
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
