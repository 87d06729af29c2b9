import { ApiProperty } from '@nestjs/swagger';
import { StatusBody } from '../status/status.dto.js';

const TIME = { type: String, format: 'date-time', nullable: true } as const;

class SeatFigures {
  @ApiProperty({ type: 'integer' })
  used!: number;
  @ApiProperty({ type: 'integer', nullable: true, description: 'Null: there is no limit.' })
  limit!: number | null;
  @ApiProperty({ type: 'integer', description: 'Users who wait for a seat.' })
  waiting!: number;
}

class RefusedCredential {
  @ApiProperty({ format: 'date-time' })
  at!: Date;
  @ApiProperty({ example: 'expired' })
  reason!: string;
}

class DirectoryFigures {
  @ApiProperty({ example: 'dir_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ enum: ['live', 'preview'] })
  state!: 'live' | 'preview';
  @ApiProperty(TIME)
  last_request_at!: Date | null;
  @ApiProperty({ type: RefusedCredential, nullable: true, description: 'A refusal that no request has followed.' })
  last_refusal!: RefusedCredential | null;
}

class Expiry {
  @ApiProperty({ enum: ['api_key', 'scim_token', 'client_secret', 'certificate'] })
  kind!: string;
  @ApiProperty({ example: 'key_01k0000000abcdefghjkmnpqrs', description: 'Of a certificate, its SAML connection.' })
  id!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ format: 'date-time' })
  expires_at!: Date;
}

class FirstSteps {
  @ApiProperty({ description: 'A directory exists.' })
  directory!: boolean;
  @ApiProperty({ description: 'An IdP has sent a request.' })
  request!: boolean;
  @ApiProperty({ description: 'A user has arrived.' })
  user!: boolean;
  @ApiProperty({ description: 'The platform has confirmed a change.' })
  forwarded!: boolean;
  @ApiProperty({ description: 'A connection for sign-in exists.' })
  connection!: boolean;
  @ApiProperty({ description: 'A user in force administers the tenant.' })
  administrator!: boolean;
}

/** What needs attention in a tenant, and its first steps. */
export class OverviewBody extends StatusBody {
  @ApiProperty()
  seats!: SeatFigures;
  @ApiProperty({ type: [DirectoryFigures], description: 'At most 50, by name.' })
  directories!: DirectoryFigures[];
  @ApiProperty({ type: [Expiry], description: 'What ends within 30 days: the 20 nearest.' })
  expiries!: Expiry[];
  @ApiProperty()
  first_steps!: FirstSteps;
}
