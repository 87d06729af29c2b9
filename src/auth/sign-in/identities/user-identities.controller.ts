import { Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation } from '@nestjs/swagger';
import { ApiList, ApiRefusals } from '../../../base/http/api-answers.js';
import { ApiController } from '../../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireEveryScope, RequireScope, type Caller } from '../../../tenancy/tenants/caller.js';
import { PersonIdentityBody } from './identities.dto.js';
import { IdentitiesService } from './identities.service.js';

/** The bindings of a user, also of a deleted one. */
@ApiController('users/:user_id/identities', { tag: 'sign-in' })
@RequireScope('admin')
@ApiRefusals()
export class UserIdentitiesController {
  constructor(private readonly identities: IdentitiesService) {}

  @Get()
  @RequireEveryScope('users:read', 'sign-ins:read')
  @ApiOperation({ summary: 'The bindings of a user, newest first; also of a deleted user' })
  @ApiList(PersonIdentityBody)
  async list(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
  ): Promise<{ data: PersonIdentityBody[] }> {
    return { data: await this.identities.ofPerson(caller.tenantId, userId) };
  }

  @Delete(':connection_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Removes the bindings of a user at a connection',
    description:
      'The next sign-in links anew. The remedy where a sign-in is refused as `bound_to_another`, or as ' +
      '`account_deleted` because of a binding that has ended. Ends the person’s sessions through the connection.',
  })
  @ApiNoContentResponse()
  release(
    @CurrentCaller() caller: Caller,
    @Param('user_id') userId: string,
    @Param('connection_id') connectionId: string,
  ): Promise<void> {
    return this.identities.release(caller, userId, connectionId);
  }
}
