import { ApiProperty } from '@nestjs/swagger';
import type { Guard } from '../../directories/directory.js';
import { ChangeSourceBody } from '../user.dto.js';
import type { DepartureKind } from './guard.rules.js';

export class GuardWindowBody {
  @ApiProperty({ description: 'Its length.' })
  minutes!: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the first user of the window left; null: none has.',
  })
  started_at!: string | null;
  @ApiProperty({ description: 'The users in force when it began.' })
  base!: number;
  @ApiProperty({ description: 'How many users may leave within it.' })
  limit!: number;
  @ApiProperty({ description: 'How many have left within it, and are not back.' })
  counted!: number;
}

export class DepartureBody {
  @ApiProperty({ example: 'usr_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  user_id!: string;
  @ApiProperty({ type: String, nullable: true })
  email!: string | null;
  @ApiProperty({ enum: ['deactivated', 'deleted', 'role_lost', 'seat_lost'] })
  how!: DepartureKind;
  @ApiProperty({ type: String, format: 'date-time' })
  at!: string;
  @ApiProperty()
  source!: ChangeSourceBody;
}

class DeparturePage {
  @ApiProperty({ type: [DepartureBody] })
  data!: DepartureBody[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

export class GuardBody {
  @ApiProperty({ example: 'dir_01k0000000abcdefghjkmnpqrs' })
  directory_id!: string;
  @ApiProperty({ oneOf: [{ type: 'string', enum: ['off'] }, { type: 'object' }], description: 'Its figures, or off.' })
  guard!: Guard;
  @ApiProperty({ type: GuardWindowBody, nullable: true, description: 'Null: the guard is off.' })
  window!: GuardWindowBody | null;
  @ApiProperty({ type: GuardWindowBody, nullable: true })
  day!: GuardWindowBody | null;
  @ApiProperty({ description: 'How many users it holds.' })
  held!: number;
  @ApiProperty({ description: 'Who left within the last 24 hours, newest first; an undo brings them back.' })
  departures!: DeparturePage;
}
