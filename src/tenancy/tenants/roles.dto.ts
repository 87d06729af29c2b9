import { ApiProperty, OmitType } from '@nestjs/swagger';
import { ChangeType, ShownType } from '../../base/http/shown.js';
import { Choice, Flag, Text } from '../../base/http/fields.js';
import { ExpectedAdministrators } from './administrators.js';
import { ServerSet } from '../../base/http/validate.js';

/** What users with a role may do in the administration of their tenant. */
export const CONSOLE_ACCESS = ['admin', 'auditor', 'none'] as const;

/** One of these. */
export type ConsoleAccess = (typeof CONSOLE_ACCESS)[number];

/** The body of `POST /roles`. */
@ServerSet('created_at', 'users')
export class CreateRole {
  @Text({ max: 100, example: 'Recruiter' })
  name!: string;

  @Flag({ description: 'Whether an active user with this role takes a seat.' })
  takes_seat!: boolean;

  @Choice(CONSOLE_ACCESS, {
    optional: true,
    description:
      'What users with this role may do in the console: `admin` everything of the tenant, `auditor` read. `none` unless set; of the role `Admin`, `admin`.',
  })
  console?: ConsoleAccess;
}

/** The body of `PATCH /roles/{name}`. */
@ServerSet('name', 'created_at', 'users')
export class ChangeRole extends ChangeType(OmitType(CreateRole, ['name'])) {
  @ExpectedAdministrators(
    'How many users have the role, where `console` takes a right from them. `GET /roles` has it as `users`.',
  )
  administrators?: number;
}

/** A role as the API shows it. */
export class RoleBody extends ShownType(CreateRole, ['name', 'takes_seat', 'console']) {
  @ApiProperty({ description: 'How many users hold it.' })
  users!: number;
  @ApiProperty()
  created_at!: Date;
}
