import { Body, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiRecord, ApiRefusals } from '../../../base/http/api-answers.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../../../tenancy/tenants/caller.js';
import { EvenWhenExhausted } from '../../../tenancy/tenants/storage/storage.errors.js';
import { ForgetSubjects, ForgottenSubjectsBody } from './identities.dto.js';
import { IdentitiesService } from './identities.service.js';

/** The remedy for an IdP that now sends other subjects. */
@ApiController('connections/:connection_id/forget-subjects', { tag: 'sign-in' })
@RequireScope('admin')
@ApiRefusals()
export class ForgetSubjectsController {
  constructor(private readonly identities: IdentitiesService) {}

  @RecentSignIn()
  @Post()
  @EvenWhenExhausted()
  @HttpCode(200)
  @ApiOperation({
    summary: 'Forgets the subjects of all users of a connection whom a sign-in can find again',
    description:
      'The remedy where an IdP has changed what it sends as subject (its NameID format, say) and sign-ins are refused as `bound_to_another`. The next sign-in of each user links anew, as a first one does. Sessions continue; a subject of a deleted user stays closed.',
  })
  @ApiRecord(ForgottenSubjectsBody)
  forget(
    @CurrentCaller() caller: Caller,
    @Param('connection_id') id: string,
    @Body() body: ForgetSubjects,
  ): Promise<ForgottenSubjectsBody> {
    return this.identities.forgetSubjects(caller, id, body.dry_run ?? false);
  }
}
