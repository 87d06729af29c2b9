import { ApiProperty, OmitType } from '@nestjs/swagger';
import {
  ROLE_ORIGINS,
  TRIGGERS,
  type CauseInWords,
  type GroupName,
  type RoleOrigin,
} from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { PersonBody } from '../../../tenancy/tenants/tenants.dto.js';
import { HELD_REASONS } from '../held/held.dto.js';
import { ChangeSourceBody, UserBody } from '../user.dto.js';

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

class RequestedState extends OmitType(PersonBody, ['role']) {
  @ApiProperty({ enum: ['active', 'inactive', 'deleted'] })
  status!: string;
}

export class ConflictingUser {
  @ApiProperty({ enum: ['email', 'external_id'] })
  field!: string;
  @ApiProperty()
  value!: string;
  @ApiProperty({ description: 'First and last name of that user; empty where there is none.' })
  name!: string;
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  user_id!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The name of the directory that manages that user.' })
  directory!: string | null;
}

export class HeldExplanation {
  @ApiProperty({ enum: HELD_REASONS })
  reason!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  since!: string | null;
  @ApiProperty({ example: 'Another active user has the e-mail address.' })
  words!: string;
  @ApiProperty({ example: 'Change the e-mail of one of the two users in its IdP.' })
  next!: string;
  @ApiProperty({ description: 'Whether an admin can release the user; else the cause has to go away.' })
  releasable!: boolean;
  @ApiProperty({ type: [ConflictingUser] })
  conflicts!: ConflictingUser[];
}

export class HeldBody extends HeldExplanation {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  user_id!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The directory whose write is held.' })
  directory_id!: string | null;
  @ApiProperty({ type: RequestedState, description: 'What the last accepted write asks for.' })
  written!: RequestedState;
  @ApiProperty({ type: UserBody, description: 'The effective state.' })
  in_force!: UserBody;
}

export class RefusedRoleBody {
  @ApiProperty({ example: 'Admin' })
  role!: string;
  @ApiProperty({ enum: ['unknown_role', 'role_needs_admin'] })
  reason!: string;
  @ApiProperty({ example: 'The role has rights of administration, and the directory lacks may_grant_console.' })
  words!: string;
}

export class LeftBody {
  @ApiProperty({ example: 'chg_42', description: 'The change.' })
  change_id!: string;
  @ApiProperty({ format: 'date-time', description: 'When it was committed.' })
  at!: string;
  @ApiProperty({ format: 'date-time', description: 'When the request arrived; of a held departure, before the hold.' })
  requested_at!: string;
  @ApiProperty({ description: 'By whom: request, directory and actor.' })
  source!: ChangeSourceBody;
  @ApiProperty({ type: CauseBody, nullable: true, description: 'Null: not recorded; the change is older than causes.' })
  cause!: CauseBody | null;
}

export class SeatQueueBody {
  @ApiProperty({ example: 3, description: '1: the next free seat is for this user.' })
  place!: number;
  @ApiProperty({ example: 12, description: 'How many users wait.' })
  of!: number;
}

/** One user, explained. */
export class ExplanationBody {
  @ApiProperty({ type: UserBody, description: 'The effective state.' })
  user!: UserBody;
  @ApiProperty({ description: 'The SCIM `userName`; the e-mail where no directory wrote one.' })
  user_name!: string;
  @ApiProperty({ type: RequestedState })
  requested!: RequestedState;
  @ApiProperty({
    type: [RefusedRoleBody],
    description: 'Roles of SCIM `roles` in place of which the user got the next one.',
  })
  refused_roles!: RefusedRoleBody[];
  @ApiProperty({ type: SeatQueueBody, nullable: true, description: 'Null: the user does not wait for a seat.' })
  seat_queue!: SeatQueueBody | null;
  @ApiProperty({ type: LeftBody, nullable: true, description: 'Of an inactive user who was active.' })
  left!: LeftBody | null;
  @ApiProperty({ type: HeldExplanation, nullable: true, description: 'Null: requested and effective state are one.' })
  held!: HeldExplanation | null;
}
