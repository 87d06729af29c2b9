import { ApiProperty } from '@nestjs/swagger';
import { Flag } from '../../../base/http/fields.js';

const TIME = { type: String, format: 'date-time' } as const;

class IdentityFacts {
  @ApiProperty({ description: 'The IdP’s name for the user: `sub`, or the NameID.' })
  subject!: string;
  @ApiProperty({ enum: ['claim', 'user_name', 'email', 'created'], description: 'How the user was found.' })
  made_by!: 'claim' | 'user_name' | 'email' | 'created';
  @ApiProperty({ description: 'The value of that.' })
  made_of!: string;
  @ApiProperty(TIME)
  created_at!: Date;
  @ApiProperty(TIME)
  last_sign_in_at!: Date;
  @ApiProperty({ ...TIME, nullable: true })
  ended_at!: Date | null;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['deleted', 'connection_changed', 'connection_deleted', 'pairing_changed', 'released', null],
    description:
      '`deleted`: the user was deleted, and the subject creates no user until it is released. `released`: an admin had the subjects of the connection forgotten.',
  })
  end_reason!: string | null;
}

export class PersonIdentityBody extends IdentityFacts {
  @ApiProperty()
  connection_id!: string;
  @ApiProperty({ description: 'The name of the connection, also of a deleted one.' })
  connection!: string;
}

export class ConnectionIdentityBody extends IdentityFacts {
  @ApiProperty()
  user_id!: string;
}

export class ForgetSubjects {
  @Flag({ optional: true, description: 'Counts and changes nothing.' })
  dry_run?: boolean;
}

export class ForgottenSubjectsBody {
  @ApiProperty()
  connection_id!: string;
  @ApiProperty()
  dry_run!: boolean;
  @ApiProperty({ type: 'integer', description: 'Bindings that are ended: the next sign-in of each user links anew.' })
  forgotten!: number;
  @ApiProperty({
    type: 'integer',
    description:
      'Bindings that stay, since no sign-in could find their users again: these are not of the paired directory, and their e-mail is in no domain that counts for the connection.',
  })
  kept!: number;
}
