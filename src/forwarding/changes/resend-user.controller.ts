import { HttpCode, Param, Post } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiRefusals } from '../../base/http/api-answers.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { ChangesService } from './changes.service.js';

/** Sends one user again. */
@ApiController('users/:user_id/resend', { tag: 'changes' })
@RequireScope('admin')
@ApiRefusals()
export class ResendUserController {
  constructor(private readonly changes: ChangesService) {}

  @Post()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Sends one user to the platform again, in the effective state',
    description: '404 also for a user of whom no change was ever to be sent.',
  })
  @ApiNoContentResponse()
  resend(@CurrentCaller() caller: Caller, @Param('user_id') userId: string): Promise<void> {
    return this.changes.resendUser(caller, userId);
  }
}
