import { ApiProperty } from '@nestjs/swagger';
import {
  ROLE_ORIGINS,
  TRIGGERS,
  type CauseInWords,
  type GroupName,
  type RoleOrigin,
} from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { HELD_REASONS } from '../held/held.dto.js';

class GroupNameBody implements GroupName {
  @ApiProperty({ example: 'grp_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ example: 'Sales', description: 'The name at that time.' })
  name!: string;
}

class RoleOriginBody implements RoleOrigin {
  @ApiProperty({
    enum: ROLE_ORIGINS,
    description:
      '`roles`: SCIM `roles`. `rule`: a group rule. `role_map`: a claim of the sign-in. `set`: the users API or an ' +
      'earlier sign-in. `default`: of the directory, the connection or the service. `discard`: kept since a discard. ' +
      '`no_seat`: the requested role waits for a seat. `none`: no role applies.',
  })
  by!: RoleOrigin['by'];
  @ApiProperty({ required: false, example: 'Recruiter', description: 'Of `roles` and `role_map`: the value.' })
  value?: string;
  @ApiProperty({ required: false, description: 'Of `rule`: the group of the rule.' })
  group?: GroupNameBody;
}

/** Why a user has changed. */
export class CauseBody implements CauseInWords {
  @ApiProperty({
    enum: TRIGGERS,
    description:
      '`written`: the request itself. `linked`: a directory has linked the user. `membership`: of a group that a rule ' +
      'names. `settings`: rules, default role or attribute map of the directory. `live`: the directory went live. ' +
      '`released`, `discarded`: by an admin. `exchanged`: users who want each other’s values. `hold_ended`: what held ' +
      'the user has ended.',
  })
  kind!: CauseInWords['kind'];
  @ApiProperty({ example: 'membership of the group Sales has changed; role by the rule for the group Sales' })
  words!: string;
  @ApiProperty({ required: false, description: 'Of `membership`.' })
  group?: GroupNameBody;
  @ApiProperty({
    required: false,
    enum: HELD_REASONS,
    description: 'Of `released`, `discarded` and `hold_ended`: why the user was held.',
  })
  reason?: HeldReason;
  @ApiProperty({
    type: [String],
    required: false,
    description: 'Of `exchanged`: the users whose former values the user has.',
  })
  users?: string[];
  @ApiProperty({ required: false, description: 'Where the role comes from, if it has changed.' })
  role?: RoleOriginBody;
  @ApiProperty({ required: false, enum: HELD_REASONS, description: 'Why the user is held since.' })
  held?: HeldReason;
}
