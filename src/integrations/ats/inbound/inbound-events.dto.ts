import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../../base/http/fields.js';
import { INBOUND_STATES, type InboundState } from './inbound-event.js';

/** An inbound event of an ATS. */
export class InboundEventListed {
  @ApiProperty({ example: 'aev_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ type: String, format: 'date-time', description: 'When it was received.' })
  at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The vendor’s name of the event.' })
  name!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The vendor’s time of the fact.' })
  occurred_at!: string | null;
  @ApiProperty({ type: String, enum: ['job', 'candidate'], nullable: true })
  kind!: 'job' | 'candidate' | null;
  @ApiProperty({ type: String, nullable: true, description: 'The id of the record in the ATS.' })
  remote_id!: string | null;
  @ApiProperty({ enum: INBOUND_STATES })
  state!: InboundState;
  @ApiProperty({ type: String, nullable: true, example: 'no_email' })
  reason!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The reason in words.' })
  detail!: string | null;
  @ApiProperty({ type: 'integer', description: 'How often it failed on its own account.' })
  tries!: number;
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decided_at!: string | null;
}

/** The same with what came. */
export class InboundEventShown extends InboundEventListed {
  @ApiProperty({ type: String, nullable: true })
  content_type!: string | null;
  @ApiProperty({
    type: Object,
    nullable: true,
    additionalProperties: { type: 'string' },
    description: 'Without credentials.',
  })
  headers!: Record<string, string> | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The body as text, letter for letter; null once its candidate is deleted, or where it is no UTF-8.',
  })
  body!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'A body that is no UTF-8, in Base64.' })
  body_base64!: string | null;
}

/** How many events wait again. */
export class RetriedBody {
  @ApiProperty({ type: 'integer', description: 'At most 1,000 at a time: repeat until it is 0.' })
  retried!: number;
}

/** The body of `POST …/dismiss`. */
export class DismissInboundEvent {
  @Text({ max: 500, description: 'Why it does not matter; kept in the audit log.' })
  reason!: string;
}
