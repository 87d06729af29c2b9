import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { CreateAtsConnection } from './ats-connections.dto.js';
import { ShownType, StoredTimes } from '../../../base/http/shown.js';
import type { Abilities } from '../connectors/connector.js';
import type { AtsState, Takes, Writes } from './connection.js';

const STATES: readonly AtsState[] = ['ok', 'degraded', 'reconnect_needed', 'disconnected'];

/** What a connection can lack. */
export type AtsMissing = 'credential' | 'as_user';
const MISSING: readonly AtsMissing[] = ['credential', 'as_user'];

/** Something that is wrong with a connection. */
class AtsProblemBody {
  @ApiProperty({
    example: 'reads',
    description: '`grant`, `reads`, `writes`, `writer`, `signature`, `webhooks`, `scopes`.',
  })
  problem!: string;
  @ApiProperty({ example: 'rate_limited' })
  reason!: string;
  @ApiProperty()
  since!: Date;
}

/** A live token of the webhook address, without its text. */
class AtsTokenBody {
  @ApiProperty({ example: 'atk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'Its first four characters.' })
  hint!: string;
  @ApiProperty()
  created_at!: Date;
}

/** Where the ATS sends its webhooks. */
class AtsWebhookBody {
  @ApiProperty({
    format: 'uri',
    example: 'https://app.example.com/api/webhooks/lever',
    description: 'Add `?api_token=`.',
  })
  url!: string;
  @ApiProperty({ type: [AtsTokenBody] })
  tokens!: AtsTokenBody[];
  @ApiProperty({
    type: 'integer',
    description: 'How many secrets signatures are checked with; 0: they are not checked.',
  })
  signing_secrets!: number;
  @ApiProperty({ type: [String], description: 'Webhooks that were made through the API of the ATS.' })
  made!: string[];
}

/** What waits at a connection. */
class AtsWaitingBody {
  @ApiProperty({ type: 'integer', description: 'Inbound events that are not applied yet; at most 10 000 are counted.' })
  events!: number;
  @ApiProperty({ type: 'integer', description: 'Writes that are not done yet.' })
  writes!: number;
}

/** A connection to an ATS as the API shows it. Never a secret. */
export class AtsConnectionBody extends IntersectionType(
  ShownType(CreateAtsConnection, ['name', 'region', 'marker']),
  StoredTimes,
) {
  @ApiProperty({ example: 'ats_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ example: 'lever' })
  provider!: string;
  @ApiProperty({ example: 'Lever' })
  title!: string;
  @ApiProperty({ type: String, nullable: true })
  base_url!: string | null;
  @ApiProperty({ enum: STATES })
  state!: AtsState;
  @ApiProperty({ type: String, nullable: true, description: 'The worst problem; null: there is none.' })
  reason!: string | null;
  @ApiProperty({ description: 'Since when it is in this state.' })
  since!: Date;
  @ApiProperty({ type: [AtsProblemBody] })
  problems!: AtsProblemBody[];
  @ApiProperty({ description: 'By hand: nothing is polled, applied or written; webhooks are stored.' })
  paused!: boolean;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What comes in.' })
  takes!: Takes;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'How results go out.' })
  writes!: Writes;
  @ApiProperty({ type: String, nullable: true, description: 'The ATS’s user who approved it.' })
  approved_by!: string | null;
  @ApiProperty({ type: String, nullable: true, enum: ['api_key', 'oauth', 'client_credentials', null] })
  credential!: string | null;
  @ApiProperty({
    enum: MISSING,
    isArray: true,
    description:
      'What the connection lacks: `credential` to read the ATS, `as_user` to write there (`writes.as_user`; see `GET …/users`).',
  })
  missing!: AtsMissing[];
  @ApiProperty({ type: [String], nullable: true, description: 'Of OAuth.' })
  granted_scopes!: string[] | null;
  @ApiProperty({ type: [String], description: 'Scopes that are wanted and were not granted.' })
  missing_scopes!: string[];
  @ApiProperty({ type: AtsWebhookBody })
  webhook!: AtsWebhookBody;
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What this connector can do.' })
  abilities!: Abilities;
  @ApiProperty({ type: [String], description: 'What it cannot do.' })
  limits!: readonly string[];
  @ApiProperty({ type: Date, nullable: true, description: 'When the ATS is read next; null: it is not.' })
  next_run_at!: Date | null;
  @ApiProperty({ type: AtsWaitingBody })
  waiting!: AtsWaitingBody;
}

/** The same with a new token, which is shown this once. */
export class AtsConnectionWithTokenBody extends AtsConnectionBody {
  @ApiProperty({ description: 'The token of the webhook address. It is shown this once.' })
  api_token!: string;
}

/** What a disconnect came to. */
export class DisconnectedBody extends AtsConnectionBody {
  @ApiProperty({ type: 'integer', description: 'Webhooks that were removed at the ATS.' })
  webhooks_removed!: number;
  @ApiProperty({ description: 'Whether the grant was revoked at the ATS.' })
  revoked!: boolean;
  @ApiProperty({ type: [String], description: 'What is left to do in the ATS, and what stays here.' })
  stays!: string[];
}

/** What a test of a connection came to. */
export class AtsTestBody {
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ type: String, nullable: true, example: 'rate_limited' })
  reason!: string | null;
  @ApiProperty({ description: 'What the ATS answered, in words.' })
  detail!: string;
}

/** An active user of the ATS, as whom a connection can write. */
export class AtsUserBody {
  @ApiProperty({ example: '32bc4d3b-0000-4e2b-92d0-00000000d4a1', description: 'The value of `writes.as_user`.' })
  id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Dana Whitlock' })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'dana.whitlock@example.com' })
  email!: string | null;
}

/** A connector, with what it can and cannot do. */
export class AtsProviderBody {
  @ApiProperty({ example: 'lever' })
  provider!: string;
  @ApiProperty({ example: 'Lever' })
  title!: string;
  @ApiProperty({ example: 'lv_' })
  marker!: string;
  @ApiProperty({ type: [String] })
  regions!: string[];
  @ApiProperty({ type: [String] })
  credentials!: string[];
  @ApiProperty({ type: 'object', additionalProperties: true })
  abilities!: Abilities;
  @ApiProperty({ type: [String] })
  limits!: readonly string[];
}
