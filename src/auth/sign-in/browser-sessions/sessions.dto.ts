import { ApiProperty } from '@nestjs/swagger';

const TEXT = { type: String, nullable: true } as const;

export class ListedSessionBody {
  @ApiProperty({ example: 'ses_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ ...TEXT, description: 'Null for a session of a sign-in link of the operator.' })
  connection_id!: string | null;
  @ApiProperty({ ...TEXT, description: 'The name of the connection.' })
  connection!: string | null;
  @ApiProperty({ ...TEXT, description: 'From where it was begun.' })
  ip!: string | null;
  @ApiProperty(TEXT)
  user_agent!: string | null;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty({ description: 'When it was last used, to the minute.' })
  seen_at!: Date;
  @ApiProperty({ description: 'When it is over if it is not used any more.' })
  expires_at!: Date;
}

export class OwnSessionBody extends ListedSessionBody {
  @ApiProperty({ description: 'Whether it is the one that asks.' })
  current!: boolean;
}

class SessionUser {
  @ApiProperty()
  id!: string;
  @ApiProperty(TEXT)
  email!: string | null;
  @ApiProperty()
  first_name!: string;
  @ApiProperty()
  last_name!: string;
  @ApiProperty(TEXT)
  role!: string | null;
}

class SessionTenant {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  name!: string;
}

class SessionConnection {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  slug!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ enum: ['oidc', 'saml'] })
  type!: 'oidc' | 'saml';
}

class SessionFacts {
  @ApiProperty()
  id!: string;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty({ ...TEXT, description: 'How the IdP authenticated the user: `acr`, or the AuthnContext.' })
  auth_context!: string | null;
}

export class SessionBody {
  @ApiProperty()
  user!: SessionUser;
  @ApiProperty()
  tenant!: SessionTenant;
  @ApiProperty({
    type: () => SessionConnection,
    nullable: true,
    description: 'Null for a session of a sign-in link of the operator.',
  })
  connection!: SessionConnection | null;
  @ApiProperty()
  session!: SessionFacts;
  @ApiProperty({ description: 'When it is over if it is not used any more.' })
  expires_at!: Date;
}
