import { ApiProperty } from '@nestjs/swagger';
import { EffectStepsBody } from '../effect-steps.dto.js';
import { PREVIEW_KINDS } from './preview.rules.js';

/** Numbers of users by the effect of going live. */
class PreviewCounts {
  @ApiProperty({ description: 'New users.' })
  create!: number;
  @ApiProperty({ description: 'Unmanaged users that the directory would manage.' })
  link!: number;
  @ApiProperty({ description: 'Users of the directory that it replaces.' })
  take_over!: number;
  @ApiProperty()
  update!: number;
  @ApiProperty()
  deactivate!: number;
  @ApiProperty()
  delete!: number;
  @ApiProperty({ description: 'Users who would need a seat and do not hold one.' })
  take_seat!: number;
  @ApiProperty({ description: 'Users who would find no free seat.' })
  find_none!: number;
  @ApiProperty({ description: 'Departures that the guard of the directory would hold.' })
  held_by_guard!: number;
  @ApiProperty({
    description:
      'Administrators who would lose the console, or the right to write there. Going live demands this number as `administrators`.',
  })
  administrators!: number;
}

/** The effect of going live on one user. */
export class PreviewedUser {
  @ApiProperty()
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ isArray: true, enum: PREVIEW_KINDS })
  would!: string[];
  @ApiProperty({ type: [String], description: 'Fields of the user that would change.' })
  fields!: string[];
  @ApiProperty()
  take_seat!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the user would be held; null: the user would not be held.',
  })
  held!: string | null;
  @ApiProperty({
    type: EffectStepsBody,
    nullable: true,
    description: 'The user now and after going live. Null: an older version of the service made the plan.',
  })
  steps!: EffectStepsBody | null;
}

/** The effects of going live, one page. */
export class PreviewBody {
  @ApiProperty()
  directory_id!: string;
  @ApiProperty({ enum: ['live', 'preview'] })
  state!: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the plan was begun: it may lack what was written later. Null: the directory is live, or has no plan yet.',
  })
  made_at!: string | null;
  @ApiProperty({ description: 'The directory has changed since, or has no plan yet.' })
  stale!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The task that makes a newer plan; null: there is none.',
  })
  task_id!: string | null;
  @ApiProperty({
    type: PreviewCounts,
    nullable: true,
    description: 'Numbers over all users; null: there is no plan yet.',
  })
  counts!: PreviewCounts | null;
  @ApiProperty({ type: Number, nullable: true, description: 'Seats that are free; null: there is no limit.' })
  seats_free!: number | null;
  @ApiProperty({ type: [PreviewedUser] })
  data!: PreviewedUser[];
  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}
