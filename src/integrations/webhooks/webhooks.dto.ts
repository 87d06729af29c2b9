import { Choice, Choices, Flag, Ruled, Whole, Text } from '../../base/http/fields.js';
import { ChangeType } from '../../base/http/shown.js';
import { PickType } from '@nestjs/swagger';
import { ServerSet } from '../../base/http/validate.js';
import { MAX_URL } from '../../base/url.js';
import { EVENT_NAMES, type EventName } from '../../engine/events/catalogue.js';
import { FORMS, type Form } from './endpoint.js';
import { headersProblem } from './headers.rules.js';
import { webhookSecretProblem } from './signature.js';

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

/** The body of `POST /webhooks`. */
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

/** The body of `PATCH /webhooks/{id}`; what is left out stays. */
@ServerSet(...SERVER_SET)
export class ChangeWebhook extends ChangeType(CreateWebhook) {}

/** The body of `POST /webhooks/{id}/rotate-secret`. */
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

/** The body of `POST /webhooks/{id}/test`. */
export class TestWebhook {
  @Choice(EVENT_NAMES, {
    optional: true,
    description: 'The event whose example is sent; the first that the endpoint takes unless set.',
    example: 'candidate.created',
  })
  event?: EventName;
}

/** The body of `POST /webhooks/{id}/pause`. */
export class PauseWebhook {
  @Text({ max: 500, optional: true, nullable: true, example: 'The receiver moves to another host.' })
  reason?: string | null;
}
