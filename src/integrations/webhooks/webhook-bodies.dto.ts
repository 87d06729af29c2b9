import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { CreateWebhook } from './webhooks.dto.js';
import { ShownType, StoredTimes } from '../../base/http/shown.js';
import { EVENT_NAMES, type EventName } from '../../engine/events/catalogue.js';
import { ENDPOINT_STATES, type EndpointState } from './endpoint-state.rules.js';

/** A live secret, without its text. */
class SecretBody {
  @ApiProperty({ example: 'whs_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'null: the newest, which lasts.' })
  expires_at!: string | null;
}

/** A webhook endpoint as the API shows it. Never a secret. */
export class WebhookBody extends IntersectionType(
  ShownType(CreateWebhook, ['url', 'description', 'form', 'ordered']),
  StoredTimes,
) {
  @ApiProperty({ example: 'whk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ enum: EVENT_NAMES, isArray: true, nullable: true, description: 'null: all events.' })
  events!: readonly EventName[] | null;
  @ApiProperty({ type: [String], description: 'The names of its own headers; their values are not shown.' })
  header_names!: string[];
  @ApiProperty({ type: [SecretBody], description: 'The secrets that sign now, newest first.' })
  secrets!: SecretBody[];
  @ApiProperty({
    enum: ENDPOINT_STATES,
    description: '`degraded`: it fails, and is tried. `paused` and `disabled`: its events wait.',
  })
  state!: EndpointState;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Of another state than `active`: `by_hand`, `failing`, `gone` (410), `address_refused`, `secret_unreadable`, or the last failure.',
    example: null,
  })
  state_reason!: string | null;
  @ApiProperty({ type: String, nullable: true })
  state_detail!: string | null;
  @ApiProperty()
  state_since!: Date;
  @ApiProperty({ type: Date, nullable: true, description: 'Since when there are nothing but failures.' })
  failing_since!: Date | null;
  @ApiProperty({ type: Date, nullable: true, description: 'When it is tried again, while it is away.' })
  next_attempt_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true, description: 'The last delivery, to about a minute.' })
  last_success_at!: Date | null;
  @ApiProperty({
    type: 'integer',
    description: 'Messages that wait, of an ordered endpoint records; at most 10 000 are counted.',
  })
  waiting!: number;
  @ApiProperty({ type: 'integer', description: 'Messages that were given up; at most 10 000 are counted.' })
  given_up!: number;
  @ApiProperty({ type: String, nullable: true, description: 'The API key that made it.' })
  key_id!: string | null;
}

/** A new endpoint, or one with a new secret. */
export class WebhookWithSecretBody extends WebhookBody {
  @ApiProperty({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    description: 'Signs every message. Shown this once.',
  })
  secret!: string;
}

/** A changed endpoint. */
export class ChangedWebhookBody extends WebhookBody {
  @ApiProperty({
    required: false,
    description: 'With another origin alone: the new secret, shown this once. The former ones have ended.',
  })
  secret?: string;
}

/** What became of one request to an endpoint. */
export class WebhookAttemptBody {
  @ApiProperty({ example: 'evt_0000000000004711', description: 'The `webhook-id`; of a test, one of its own.' })
  event_id!: string;
  @ApiProperty()
  at!: Date;
  @ApiProperty({ example: 'delivered', description: '`delivered`, `status_500`, `timeout`, `address_refused`, …' })
  outcome!: string;
  @ApiProperty({ type: 'integer', nullable: true, example: 200 })
  status!: number | null;
  @ApiProperty({ type: String, enum: ['theirs', 'ours', 'network'], nullable: true, description: 'Of a failure.' })
  fault!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The code of a failed connection.' })
  detail!: string | null;
  @ApiProperty({ type: 'integer', description: 'Milliseconds.' })
  ms!: number;
  @ApiProperty({ type: String, nullable: true, description: 'The IP address that was dialled.' })
  address!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The first 4 KiB of the answer.' })
  answer!: string | null;
}
