import { ApiProperty } from '@nestjs/swagger';
import { ATTENTION_KINDS, ATTENTION_SEVERITIES, type AttentionLine } from './attention.js';
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
  @ApiProperty({
    type: RefusedCredential,
    nullable: true,
    description: 'A refusal of a credential of the directory that no request has followed.',
  })
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

class AttentionLineBody implements AttentionLine {
  @ApiProperty({ enum: ATTENTION_SEVERITIES })
  severity!: AttentionLine['severity'];
  @ApiProperty({
    example: 'destination.open',
    description: 'Stable. The name of the event that told of the state, where there is one.',
  })
  code!: string;
  @ApiProperty({ enum: ATTENTION_KINDS, description: 'What the line is about.' })
  kind!: AttentionLine['kind'];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The record; of held users and parked changes the reason, of a domain its name.',
  })
  id!: string | null;
  @ApiProperty({
    example: 'The webhook endpoint https://hooks.example.com fails: it is tried again until it is disabled.',
  })
  words!: string;
  @ApiProperty({ ...TIME, description: 'Since when; of what will end, when. Null: not recorded.' })
  since!: Date | null;
  @ApiProperty({ ...TIME, description: 'When the service tries again without an act; null: it does not.' })
  next_try_at!: Date | null;
  @ApiProperty({ example: 'Read its attempts, and correct the receiver.', description: 'What to do.' })
  act!: string;
}

export class OverviewBody extends StatusBody {
  @ApiProperty({
    type: [AttentionLineBody],
    description: 'All critical and warning states: the worst first, then what has lasted longest.',
  })
  attention!: AttentionLineBody[];
  @ApiProperty()
  seats!: SeatFigures;
  @ApiProperty({ type: [DirectoryFigures], description: 'At most 50, by name.' })
  directories!: DirectoryFigures[];
  @ApiProperty({
    type: [Expiry],
    description: 'What ends within 30 days, and connections whose certificates have all expired: the 20 nearest.',
  })
  expiries!: Expiry[];
  @ApiProperty()
  first_steps!: FirstSteps;
}
