import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { measuredBits } from '../../../base/crypto/measured-bits.js';
import { Choice, Flag, Moment, Nested, Ruled, Text } from '../../../base/http/fields.js';
import { ShownType, StoredTimes } from '../../../base/http/shown.js';
import { ServerSet } from '../../../base/http/validate.js';
import { MAX_URL } from '../../../base/url.js';
import type { Abilities } from '../connectors/connector.js';
import { connectors } from '../providers/providers.js';
import type { AtsState, Takes, Writes } from './connection.js';

/** The token is often the only proof of a webhook: it has to resist guessing as an API key does. */
const LEAST = { length: 24, bits: 128 };
const MOST = 200;

/** The answer for a token that another tenant uses is the same. */
export const TOKEN_RULE =
  `must be ${LEAST.length} to ${MOST} visible ASCII characters without spaces, made by chance (${LEAST.bits} bits), and used ` +
  'nowhere else; leave it out, and one is made';

/** Returns why a text cannot be the token of a webhook address, or null. */
export function chosenTokenProblem(value: unknown): string | null {
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value)) return TOKEN_RULE;
  const fits = value.length >= LEAST.length && value.length <= MOST && measuredBits(value) >= LEAST.bits;
  return fits ? null : TOKEN_RULE;
}

const MARKER = { test: /^[a-z0-9]{1,8}_$/, message: 'must be up to 8 small letters or digits and an underscore' };
const CHOSEN_TOKEN = { type: String, minLength: 24, maxLength: 200 };
const VISIBLE = { test: /^[\x21-\x7e]+$/, message: 'must be visible ASCII characters without spaces' };

function stagesProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > 100) return 'must be a list of 1 to 100 stage ids';
  return value.every((one) => typeof one === 'string' && one !== '' && one.length <= 200)
    ? null
    : 'must hold ids of stages as text';
}

export class TakesFields {
  @Choice(['open', 'all'], {
    optional: true,
    description: 'Candidates of open openings alone, or of all. Default `open`.',
  })
  postings?: 'open' | 'all';

  @Choice(['active', 'all'], { optional: true, description: '`active`: neither archived nor hired. Default `active`.' })
  candidates?: 'active' | 'all';

  @Ruled(
    stagesProblem,
    { type: String, isArray: true, maxItems: 100 },
    {
      optional: true,
      nullable: true,
      description: 'Ids of stages in the ATS; null: any stage.',
    },
  )
  stages?: string[] | null;

  @Moment({ optional: true, nullable: true, description: 'Only candidates that changed since; null: all.' })
  since?: Date | null;

  @Flag({ optional: true, description: 'The first import tells of each candidate, marked `backfill`. Default false.' })
  backfill_events?: boolean;
}

export class WritesFields {
  @Text({
    max: 200,
    optional: true,
    nullable: true,
    description:
      'The id of the ATS’s user as whom is written, checked where the ATS answers; null: who approved the connection.',
  })
  as_user?: string | null;

  @Choice(['private', 'public'], { optional: true, description: 'Who sees notes in the ATS. Default `private`.' })
  visibility?: 'private' | 'public';

  @Choice(['link', 'field', 'note'], { optional: true, nullable: true, description: 'null: links are not written.' })
  link_target?: 'link' | 'field' | 'note' | null;

  @Choice(['note', 'field'], { optional: true, nullable: true, description: 'null: scorecards are not written.' })
  scorecard_target?: 'note' | 'field' | null;

  @Text({ max: 200, optional: true, nullable: true, description: 'The custom field of links, for the target `field`.' })
  link_field?: string | null;

  @Text({ max: 200, optional: true, nullable: true, description: 'The custom field of scorecards.' })
  scorecard_field?: string | null;
}

export class CredentialFields {
  @Choice(['api_key', 'client_credentials'], { description: 'Connections by OAuth are made in a browser.' })
  kind!: 'api_key' | 'client_credentials';

  @Text({ max: 4_096, pattern: VISIBLE, optional: true, description: 'Of `api_key`.' })
  key?: string;

  @Text({ max: 500, pattern: VISIBLE, optional: true, description: 'Of `client_credentials`.' })
  client_id?: string;

  @Text({ max: 4_096, pattern: VISIBLE, optional: true, description: 'Of `client_credentials`.' })
  client_secret?: string;

  @Text({ max: 200, pattern: VISIBLE, optional: true, nullable: true, description: 'The ATS’s user of the client.' })
  sub?: string | null;
}

const SERVER_SET = [
  'id',
  'title',
  'state',
  'reason',
  'since',
  'problems',
  'approved_by',
  'missing',
  'granted_scopes',
  'missing_scopes',
  'webhook',
  'abilities',
  'limits',
  'next_run_at',
  'waiting',
  'created_at',
  'updated_at',
];

class AtsConnectionSettings {
  @Text({ max: 100, optional: true, example: 'Lever, recruiting team' })
  name?: string;

  @Nested(() => TakesFields, { optional: true })
  takes?: TakesFields;

  @Nested(() => WritesFields, { optional: true })
  writes?: WritesFields;

  @Nested(() => CredentialFields, { optional: true, description: 'Never shown again.' })
  credential?: CredentialFields;
}

@ServerSet(...SERVER_SET)
export class CreateAtsConnection extends AtsConnectionSettings {
  @Choice(connectors().map(({ provider }) => provider), { description: 'The ATS.', example: 'ashby' })
  provider!: string;

  @Text({ max: 40, optional: true, description: 'The region of the vendor; its first one unless set.' })
  region?: string;

  @Text({
    max: MAX_URL,
    format: 'uri',
    optional: true,
    nullable: true,
    description: 'The address of the API in place of the region’s.',
  })
  base_url?: string | null;

  @Text({
    max: 9,
    pattern: MARKER,
    optional: true,
    example: 'as_',
    description: 'Stands before ids of the ATS in `external_id`; unique in the tenant, and it stays.',
  })
  marker?: string;

  @Ruled(chosenTokenProblem, CHOSEN_TOKEN, {
    optional: true,
    description: 'A token for the webhook address that is known already; one is made when left out.',
  })
  api_token?: string;

  @Text({ max: 500, optional: true, description: 'The secret that the ATS signs its webhooks with.' })
  signing_secret?: string;
}

@ServerSet('provider', 'region', 'marker', 'base_url', 'paused', ...SERVER_SET)
export class ChangeAtsConnection extends AtsConnectionSettings {}

export class SyncAtsConnection {
  @Flag({ optional: true, description: 'Everything is read, and what the ATS has no more is noticed. Default false.' })
  full?: boolean;
}

export class CreateAtsToken {
  @Ruled(chosenTokenProblem, CHOSEN_TOKEN, {
    optional: true,
    description: 'A token that is known already; one is made when left out.',
  })
  api_token?: string;
}

export class SetSigningSecret {
  @Text({
    max: 500,
    description: 'The secret that the ATS signs its webhooks with. It replaces one that was set by hand.',
  })
  secret!: string;
}

const STATES: readonly AtsState[] = ['ok', 'degraded', 'reconnect_needed', 'disconnected'];

export type AtsMissing = 'credential' | 'as_user';
const MISSING: readonly AtsMissing[] = ['credential', 'as_user'];

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

class AtsTokenBody {
  @ApiProperty({ example: 'atk_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'Its first four characters.' })
  hint!: string;
  @ApiProperty()
  created_at!: Date;
}

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

class AtsWaitingBody {
  @ApiProperty({ type: 'integer', description: 'Inbound events that are not applied yet; at most 10 000 are counted.' })
  events!: number;
  @ApiProperty({ type: 'integer', description: 'Writes that are not done yet.' })
  writes!: number;
}

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

export class AtsConnectionWithTokenBody extends AtsConnectionBody {
  @ApiProperty({ description: 'The token of the webhook address. It is shown this once.' })
  api_token!: string;
}

export class DisconnectedBody extends AtsConnectionBody {
  @ApiProperty({ type: 'integer', description: 'Webhooks that were removed at the ATS.' })
  webhooks_removed!: number;
  @ApiProperty({ description: 'Whether the grant was revoked at the ATS.' })
  revoked!: boolean;
  @ApiProperty({ type: [String], description: 'What is left to do in the ATS, and what stays here.' })
  stays!: string[];
}

export class AtsTestBody {
  @ApiProperty()
  ok!: boolean;
  @ApiProperty({ type: String, nullable: true, example: 'rate_limited' })
  reason!: string | null;
  @ApiProperty({ description: 'What the ATS answered, in words.' })
  detail!: string;
}

export class AtsUserBody {
  @ApiProperty({ example: '32bc4d3b-0000-4e2b-92d0-00000000d4a1', description: 'The value of `writes.as_user`.' })
  id!: string;
  @ApiProperty({ type: String, nullable: true, example: 'Dana Whitlock' })
  name!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'dana.whitlock@example.com' })
  email!: string | null;
}

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
