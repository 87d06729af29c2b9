import { PickType, ApiProperty, IntersectionType } from '@nestjs/swagger';
import { Choice, Choices, Flag, Ruled, Whole, Text } from '../../base/http/fields.js';
import { ChangeType, ShownType, StoredTimes } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import { MAX_URL } from '../../base/url.js';
import { EVENT_NAMES, type EventName } from '../../engine/events/catalogue.js';
import { FORMS, type Form } from './endpoint.store.js';
import { ENDPOINT_STATES, type EndpointState } from './endpoint.rules.js';
import { headersProblem } from './headers.rules.js';
import { webhookSecretProblem } from './signed-message.js';

const WEEK_SECONDS = 7 * 86_400;

const ownSecretProblem = (value: unknown): string | null =>
  typeof value === 'string' ? webhookSecretProblem(value) : 'must be text';

const SERVER_SET = [
  'id',
  'state',
  'state_reason',
  'state_detail',
  'state_since',
  'failing_since',
  'next_attempt_at',
  'last_success_at',
  'waiting',
  'given_up',
  'header_names',
  'secrets',
  'key_id',
  'created_by',
  'created_at',
  'updated_at',
];

@ServerSet(...SERVER_SET)
export class CreateWebhook {
  @Text({
    max: MAX_URL,
    format: 'uri',
    example: 'https://hooks.example.com/talent-bridge',
    description:
      'https at a public address, port 443 or from 1024. Every IP address of its name is checked, at each delivery too.',
  })
  url!: string;

  @Choices(EVENT_NAMES, {
    optional: true,
    nullable: true,
    description: 'The events that it takes; null: all of them.',
    example: ['candidate.created', 'user.deactivated'],
  })
  events?: EventName[] | null;

  @Text({ max: 500, optional: true, nullable: true, example: 'Zap of the recruiting team' })
  description?: string | null;

  @Choice(FORMS, {
    optional: true,
    description:
      '`source`: `event`, `timestamp`, `data`. `standard`: `type` beside `event`. `cloudevents`: structured CloudEvents 1.0.',
    example: 'source',
  })
  form?: Form;

  @Flag({
    optional: true,
    description: 'Events about one record arrive in order, one at a time: a failing one holds back those behind it.',
  })
  ordered?: boolean;

  @Ruled(
    headersProblem,
    { type: 'object', additionalProperties: { type: 'string' }, maxProperties: 10 },
    {
      optional: true,
      description:
        'Headers of its own, at most 10 and 4 KiB together; never those of the connection, `content-*` or `webhook-*`. Not shown again; a change sends all of them anew.',
      example: { authorization: 'Bearer the receiver’s own token' },
    },
  )
  headers?: Record<string, string>;

  @Ruled(
    ownSecretProblem,
    { type: String },
    {
      optional: true,
      description:
        'A secret of the caller’s own: `whsec_` and 24 to 64 bytes in base64; of a change, with another origin in `url`. Made unless given.',
    },
  )
  secret?: string;
}

/** Absent fields stay unchanged. */
@ServerSet(...SERVER_SET)
export class ChangeWebhook extends ChangeType(CreateWebhook) {}

export class RotateSecret extends PickType(CreateWebhook, ['secret']) {
  @Whole({
    min: 0,
    max: WEEK_SECONDS,
    optional: true,
    description: 'How long the present secrets still sign beside the new one; 0: not at all.',
    example: 86_400,
  })
  overlap_seconds?: number;
}

export class TestWebhook {
  @Choice(EVENT_NAMES, {
    optional: true,
    description: 'The event whose example is sent; the first that the endpoint takes unless set.',
    example: 'candidate.created',
  })
  event?: EventName;
}

export class PauseWebhook {
  @Text({ max: 500, optional: true, nullable: true, example: 'The receiver moves to another host.' })
  reason?: string | null;
}

class SecretBody {
  @ApiProperty({ example: 'whs_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ format: 'date-time' })
  created_at!: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'null: the newest, which lasts.' })
  expires_at!: string | null;
}

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

export class WebhookWithSecretBody extends WebhookBody {
  @ApiProperty({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    description: 'Signs every message. Shown this once.',
  })
  secret!: string;
}

export class ChangedWebhookBody extends WebhookBody {
  @ApiProperty({
    required: false,
    description: 'With another origin alone: the new secret, shown this once. The former ones have ended.',
  })
  secret?: string;
}

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
