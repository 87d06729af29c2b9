import { Controller, Get, Param, Res, Module } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { sendPage } from '../auth/sign-in/pages/layout.js';
import { Config } from '../base/config/config.js';
import { NotFound } from '../base/errors/domain-error.js';
import { ApiHtml, ApiRefusals } from '../base/http/api-answers.js';
import { html } from '../base/http/html.js';
import type { BridgeResponse } from '../base/http/request.js';
import { InterviewsModule } from '../hiring/interviews/interviews.module.js';
import { InterviewsRepository } from '../hiring/interviews/interviews.repository.js';
import { TenantStore } from '../tenancy/tenants/tenant.store.js';

/** The page of a meeting link of the sandbox. It does not exist in production. */
@Controller('i')
@ApiTags('interviews')
class SandboxMeetingController {
  constructor(
    private readonly config: Config,
    private readonly interviews: InterviewsRepository,
    private readonly tenants: TenantStore,
  ) {}

  @Get(':tenant_id/:interview_id')
  @ApiOperation({
    summary: 'The page behind a meeting link of the sandbox; not in production',
    description: 'It names the tenant, and nothing of the candidate.',
  })
  @ApiHtml(200, 'The page.')
  @ApiRefusals({ 404: ['not_found'] })
  async show(
    @Param('tenant_id') tenantId: string,
    @Param('interview_id') id: string,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const interview = this.config.production ? undefined : await this.interviews.one(tenantId, id);
    if (interview?.meeting_source !== 'sandbox') throw new NotFound('interview');
    const tenant = await this.tenants.get(tenantId);
    sendPage(
      res,
      {
        title: 'Sandbox interview',
        body: html`<p>
            Here an interview with <strong>${tenant.name}</strong> would begin. This installation is a sandbox: there is
            no interview engine, and nothing is recorded.
          </p>
          <p class="note">
            With an interview engine (<code>interview set</code>), or a <code>meeting_url</code> of your own, the link
            leads to the real meeting.
          </p>`,
      },
      tenant,
    );
  }
}

/** The page of meeting links of the sandbox. */
@Module({ imports: [InterviewsModule], controllers: [SandboxMeetingController] })
export class SandboxMeetingModule {}
