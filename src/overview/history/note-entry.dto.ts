import { ApiProperty } from '@nestjs/swagger';
import { EntryHead, NO_TIME, TEXT } from './entry-head.dto.js';
import { ChangeSourceBody } from '../../directory-sync/users/user.dto.js';

/** A directory has taken over a user. */
export class LinkedEntry extends EntryHead {
  @ApiProperty({ enum: ['linked'] })
  kind!: string;
  @ApiProperty({
    enum: ['id', 'external_id', 'user_name', 'email'],
    description: 'The attribute by which the directory matched the user.',
  })
  by!: string;
  @ApiProperty({ description: 'The directory that manages the user from then on.' })
  directory_id!: string;
  @ApiProperty({ ...TEXT, description: 'The directory that managed the user before; null: none.' })
  from_directory_id!: string | null;
  @ApiProperty()
  source!: ChangeSourceBody;
}

/** The removal of the user is held, or an admin or the directory has ended the hold of the user. */
export class HeldEntry extends EntryHead {
  @ApiProperty({ enum: ['held'] })
  kind!: string;
  @ApiProperty({ enum: ['held', 'released', 'discarded', 'returned'], description: '`held`: of a removal.' })
  event!: string;
  @ApiProperty({ description: 'Why the user was held.' })
  reason!: string;
  @ApiProperty(NO_TIME)
  held_at!: string | null;
  @ApiProperty({ ...TEXT, description: 'The substitute `userName` since then, where the old one was taken.' })
  user_name!: string | null;
  @ApiProperty()
  source!: ChangeSourceBody;
}
