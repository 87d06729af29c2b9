import { Get, Param } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { ExplainService } from '../../directory-sync/users/explain/explain.service.js';
import { UserDirectoryRepository, writtenOf } from '../../directory-sync/users/user-directory.repository.js';
import { userBody } from '../../directory-sync/users/user.dto.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { sentencesOf } from './sentences.rules.js';
import { UserExplanationBody, UserResourceBody } from './user-explanation.dto.js';
import { UserFactsRepository } from './user-facts.repository.js';

/** Why a user is as it is. */
@ApiController('users/:user_id', { tag: 'users' })
@RequireScope('users:read')
@ApiRefusals()
export class ExplainController {
  constructor(
    private readonly explanations: ExplainService,
    private readonly facts: UserFactsRepository,
    private readonly users: UserDirectoryRepository,
  ) {}

  @Get('explain')
  @ApiOperation({
    summary:
      'One user in sentences: access, role, seat, last write of the IdP, platform, sign-in; and what is in the way',
  })
  @ApiRecord(UserExplanationBody)
  async explain(@CurrentCaller() { tenantId }: Caller, @Param('user_id') id: string): Promise<UserExplanationBody> {
    const explained = await this.explanations.of(tenantId, id);
    const facts = await this.facts.read(tenantId, id, explained.user.managed_by?.id ?? null);
    return { ...explained, sentences: sentencesOf(explained, facts) };
  }

  @Get('resource')
  @ApiOperation({ summary: 'The SCIM resource of one user beside the effective state' })
  @ApiRecord(UserResourceBody)
  async resource(@CurrentCaller() { tenantId }: Caller, @Param('user_id') id: string): Promise<UserResourceBody> {
    const row = await this.users.requested(tenantId, id);
    if (row === undefined) throw new NotFound('user');
    return { written: { id, ...writtenOf(row).doc }, in_force: userBody(row) };
  }
}
