import { ApiProperty, OmitType } from '@nestjs/swagger';
import { CauseBody } from '../../directory-sync/users/explain/explain.dto.js';
import { ChangeSourceBody } from '../../directory-sync/users/user.dto.js';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';

/**
 * The states of a departure. `confirmed`: the platform has it. `waiting`: it is not sent yet, or the answer is unknown.
 * `parked`: an admin has to decide. `dismissed`: an admin has discarded it. `not_forwarded`: the platform has no
 * account of this user, or forwarding is off.
 */
export const LEAVER_STATES = ['confirmed', 'waiting', 'parked', 'dismissed', 'not_forwarded'] as const;

/** The state of a departure. */
export type LeaverState = (typeof LEAVER_STATES)[number];

class LeaverPerson extends OmitType(PersonBody, ['role']) {}

class LeaverMillisecondsShape {
  @ApiProperty({ type: 'integer', example: 4 })
  commit!: number;
  @ApiProperty({ type: 'integer', nullable: true, example: 4 })
  sessions!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 9 })
  forward!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, example: 31 })
  confirm!: number | null;
}

class LeaverError {
  @ApiProperty({ example: 'refused' })
  code!: string;
  @ApiProperty({ type: String, nullable: true })
  detail!: string | null;
}

/** A departure as the API shows it. */
export class LeaverShape {
  @ApiProperty({ example: 'chg_42', description: 'The change of the departure.' })
  id!: string;
  @ApiProperty()
  user_id!: string;
  @ApiProperty({ type: 'integer', example: 42 })
  change_sequence!: number;
  @ApiProperty({ enum: ['deactivated', 'deleted'] })
  kind!: string;
  @ApiProperty({ type: LeaverPerson })
  user!: LeaverPerson;
  @ApiProperty({ description: 'Request, directory and actor.' })
  source!: ChangeSourceBody;
  @ApiProperty({ type: CauseBody, nullable: true, description: 'Null: not recorded; the change is older than causes.' })
  cause!: CauseBody | null;
  @ApiProperty({ format: 'date-time', description: 'When the request of the IdP arrived.' })
  requested_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The beginning of the hold.' })
  held_at!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When an admin released it.' })
  released_at!: string | null;
  @ApiProperty({ format: 'date-time' })
  committed_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  sessions_ended_at!: string | null;
  @ApiProperty({ type: 'integer', example: 2, description: 'The number of sessions that it ended.' })
  sessions_ended!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The first call to the platform.' })
  forwarded_at!: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the platform’s answer.',
  })
  confirmed_at!: string | null;
  @ApiProperty({ enum: LEAVER_STATES })
  state!: string;
  @ApiProperty({ type: LeaverMillisecondsShape, description: 'From the request to each step.' })
  milliseconds!: LeaverMillisecondsShape;
  @ApiProperty({ type: LeaverError, required: false, description: 'Of a parked one.' })
  error?: LeaverError;
}
