import { ApiProperty } from '@nestjs/swagger';
import { PersonBody } from '../../tenancy/tenants/tenants.dto.js';
import { CauseBody } from '../../directory-sync/users/explain/explain.dto.js';
import { ActorBody, ChangeSourceBody } from '../../directory-sync/users/user.dto.js';
import { EntryHead, NO_TIME, NUMBER, TEXT, TIME } from './entry-head.dto.js';

/** Values of the changed fields. */
class ChangedValues {
  @ApiProperty({ ...TEXT, required: false })
  email?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  first_name?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  last_name?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  role?: string | null;
  @ApiProperty({ ...TEXT, required: false })
  external_id?: string | null;
  @ApiProperty({ ...TEXT, required: false, description: 'active, inactive or deleted; null: not recorded.' })
  status?: string | null;
}

class DismissalBody {
  @ApiProperty(TEXT)
  reason!: string | null;
  @ApiProperty(TIME)
  at!: string;
  @ApiProperty()
  actor!: ActorBody;
}

/** A change of the effective state of a user. */
export class ChangeEntry extends EntryHead {
  @ApiProperty({ enum: ['change'] })
  kind!: string;
  @ApiProperty(NUMBER)
  sequence!: number;
  @ApiProperty({ enum: ['created', 'updated', 'deactivated', 'reactivated', 'deleted'] })
  event!: string;
  @ApiProperty({ type: [String], description: 'The changed fields of the user.' })
  changed!: string[];
  @ApiProperty({ description: 'The user after the change.' })
  user!: PersonBody;
  @ApiProperty({
    type: ChangedValues,
    nullable: true,
    description: 'The former values of the changed fields; null: no earlier change of the user is recorded.',
  })
  from!: ChangedValues | null;
  @ApiProperty({ description: 'Their new values.' })
  to!: ChangedValues;
  @ApiProperty()
  source!: ChangeSourceBody;
  @ApiProperty({ type: CauseBody, nullable: true, description: 'Null: not recorded; the change is older than causes.' })
  cause!: CauseBody | null;
  @ApiProperty(TIME)
  received_at!: string;
  @ApiProperty(TIME)
  occurred_at!: string;
  @ApiProperty(NO_TIME)
  sessions_ended_at!: string | null;
  @ApiProperty({ description: 'Whether the change is forwarded to the platform.' })
  forwarded!: boolean;
  @ApiProperty({ type: DismissalBody, nullable: true, description: 'An admin discarded it.' })
  dismissed!: DismissalBody | null;
}
