import { ApiProperty } from '@nestjs/swagger';
import { Choice, Flag } from '../../base/http/fields.js';
import { Text } from '../../base/http/text.js';
import { ServerSet } from '../../base/http/validate.js';

/** What users with a role may do in the administration of their tenant. */
const CONSOLE_ACCESS = ['admin', 'auditor', 'none'] as const;

/** One of these. */
export type ConsoleAccess = (typeof CONSOLE_ACCESS)[number];

const CONSOLE_FIELD = {
  optional: true,
  description:
    'What users with this role may do in the console: `admin` everything of the tenant, `auditor` read. `none` unless set; of the role `Admin`, `admin`.',
};

/** The body of `POST /roles`. */
@ServerSet('created_at', 'users')
export class CreateRole {
  @Text({ max: 100, example: 'Recruiter' })
  name!: string;

  @Flag({ description: 'Whether an active user with this role takes a seat.' })
  takes_seat!: boolean;

  @Choice(CONSOLE_ACCESS, CONSOLE_FIELD)
  console?: ConsoleAccess;
}

/** The body of `PATCH /roles/{name}`. */
@ServerSet('name', 'created_at', 'users')
export class ChangeRole {
  @Flag({ optional: true })
  takes_seat?: boolean;

  @Choice(CONSOLE_ACCESS, CONSOLE_FIELD)
  console?: ConsoleAccess;
}

/** A role as the API shows it. */
export class RoleBody {
  @ApiProperty({ example: 'User' })
  name!: string;
  @ApiProperty()
  takes_seat!: boolean;
  @ApiProperty({
    enum: CONSOLE_ACCESS,
    description: 'Whether users with this role administer the tenant. `auditor` has no effect yet.',
  })
  console!: ConsoleAccess;
  @ApiProperty({ description: 'How many users hold it.' })
  users!: number;
  @ApiProperty()
  created_at!: Date;
}
