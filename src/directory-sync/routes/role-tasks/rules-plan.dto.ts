import { ApiProperty } from '@nestjs/swagger';
import { EffectStepsBody } from '../effect-steps.dto.js';

/** The effect of changed rules on one user, as the API shows it. */
class RulesPlanUser {
  @ApiProperty()
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The role in force; null: no role.' })
  from!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The role that the rules would give; null: no role.' })
  to!: string | null;
  @ApiProperty({
    enum: ['gains', 'loses', 'none'],
    description: '`gains`: the user would need a seat and holds none.',
  })
  seat!: 'gains' | 'loses' | 'none';
  @ApiProperty({ type: EffectStepsBody, description: 'The user now and with these rules.' })
  steps!: EffectStepsBody;
}

/** The effect of changed rules on the users of a directory. */
export class RulesPlanBody {
  @ApiProperty({ description: 'Users whose role or seat would change.' })
  total!: number;
  @ApiProperty({
    type: [RulesPlanUser],
    description:
      'The first 200 of them: administrators who lose the console, then the others, each in the order of their ids.',
  })
  data!: RulesPlanUser[];
  @ApiProperty({ description: 'Users who would need a seat and hold none.' })
  take_seat!: number;
  @ApiProperty({ description: 'Users who would give their seat back.' })
  free_seat!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Seats that would be free for them, with those that are given back; null: there is no limit.',
  })
  seats_free!: number | null;
  @ApiProperty({ description: 'Departures that the guard of the directory would hold.' })
  held_by_guard!: number;
  @ApiProperty({
    description:
      'Administrators who would lose the console, or the right to write there. The write of the rules demands this number as `administrators`.',
  })
  administrators!: number;
}
