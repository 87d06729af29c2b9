import { ApiProperty } from '@nestjs/swagger';
import { NestedList, Text } from '../../base/http/fields.js';
import { ExpectedAdministrators } from '../../tenancy/tenants/administrators.js';
import { ServerSet } from '../../base/http/validate.js';

/** One rule: members of the group get the role. */
export class GroupRule {
  @Text({ max: 64, example: 'grp_01k0000000abcdefghjkmnpqrs' })
  group_id!: string;
  @Text({ max: 100, example: 'Admin' })
  role!: string;
}

/** Group rules: the whole list, in the order of precedence. */
@ServerSet('group')
export class GroupRules {
  @NestedList(() => GroupRule, { max: 1_000, description: 'In order: the first one that matches gives the role.' })
  rules!: GroupRule[];
}

/** The body of `PUT /directories/{id}/rules`. */
@ServerSet('group')
export class ReplacedRules extends GroupRules {
  @ExpectedAdministrators(
    'How many administrators would lose the console, or the right to write there. The plan of the rules has it.',
  )
  administrators?: number;
}

/** A user who is a member of a group, as the API shows the member. */
export class GroupMemberBody {
  @ApiProperty({ example: 'usr_01k0000000abcdefghjkmnpqrs' })
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ enum: ['active', 'inactive'] })
  status!: 'active' | 'inactive';
}
