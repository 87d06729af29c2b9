import { Get, Param, Module } from '@nestjs/common';
import { ApiProperty, ApiOperation } from '@nestjs/swagger';
import { SignInModule } from '../../auth/sign-in/sign-in.module.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { ExplanationBody } from '../../directory-sync/users/explain/explain.dto.js';
import { ExplainService } from '../../directory-sync/users/explain/explain.service.js';
import { UserDirectoryRepository, writtenOf } from '../../directory-sync/users/user-directory.repository.js';
import { UserBody, userBody } from '../../directory-sync/users/user.dto.js';
import { UsersModule } from '../../directory-sync/users/users.module.js';
import { ForwardingModule } from '../../forwarding/forwarding.module.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { RequestsModule } from '../requests/requests.module.js';
import { SUBJECTS, type Sentence, sentencesOf } from './sentences.rules.js';
import { UserFactsRepository } from './user-facts.repository.js';

class SentenceBody implements Sentence {
  @ApiProperty({ enum: SUBJECTS })
  about!: Sentence['about'];
  @ApiProperty({
    example: 'rule',
    description:
      'Stable. Of `access`: `active`, `inactive`, `never_active`, or why the user is held. Of `role`: its origin. Of `seat`: its ' +
      'state. Of `request`: what it did, or the code of its refusal. Of `platform`: the state of the change. Of `sign_in`: ' +
      '`success`, or why it was refused. `none`: nothing is known.',
  })
  code!: string;
  @ApiProperty({ example: 'The role is Recruiter: role by the rule for the group Sales.' })
  words!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'Null: not recorded.' })
  since!: string | null;
}

export class UserExplanationBody extends ExplanationBody {
  @ApiProperty({ type: [SentenceBody], description: 'Access, role, seat, last write, platform and sign-in in words.' })
  sentences!: SentenceBody[];
}

export class UserResourceBody {
  @ApiProperty({
    type: Object,
    additionalProperties: true,
    description:
      'The resource as the last accepted write left it. Of a user whom no directory wrote, made of the record.',
  })
  written!: object;
  @ApiProperty({ type: UserBody, description: 'The effective state.' })
  in_force!: UserBody;
}

@ApiController('users/:user_id', { tag: 'users' })
@RequireScope('users:read')
@ApiRefusals()
class ExplainController {
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

@Module({
  imports: [UsersModule, ForwardingModule, SignInModule, RequestsModule],
  controllers: [ExplainController],
  providers: [UserFactsRepository],
})
export class ExplainModule {}
