import { ApiProperty } from '@nestjs/swagger';
import { ExplanationBody } from '../../directory-sync/users/explain/explain.dto.js';
import { UserBody } from '../../directory-sync/users/user.dto.js';
import { SUBJECTS, type Sentence } from './sentences.rules.js';

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

/** One user, explained in sentences. */
export class UserExplanationBody extends ExplanationBody {
  @ApiProperty({ type: [SentenceBody], description: 'Access, role, seat, last write, platform and sign-in in words.' })
  sentences!: SentenceBody[];
}

/** The SCIM resource of a user beside the effective state. */
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
