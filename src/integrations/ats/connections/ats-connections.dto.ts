import { Choice, Flag, Moment, Nested, Ruled, Text } from '../../../base/http/fields.js';
import { MAX_URL } from '../../../base/url.js';
import { ServerSet } from '../../../base/http/validate.js';
import { connectors } from '../providers/providers.js';
import { chosenTokenProblem } from './chosen-token.rules.js';

const MARKER = { test: /^[a-z0-9]{1,8}_$/, message: 'must be up to 8 small letters or digits and an underscore' };
const CHOSEN_TOKEN = { type: String, minLength: 24, maxLength: 200 };
const VISIBLE = { test: /^[\x21-\x7e]+$/, message: 'must be visible ASCII characters without spaces' };

/** Returns why a value is no list of stages; null: it is. */
function stagesProblem(value: unknown): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > 100) return 'must be a list of 1 to 100 stage ids';
  return value.every((one) => typeof one === 'string' && one !== '' && one.length <= 200)
    ? null
    : 'must hold ids of stages as text';
}

/** What comes in. */
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

/** How results go out. */
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

/** What the service authenticates with at the ATS. */
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

/** What a connection can be given when it is made, and later. */
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

/** The body of `POST /ats-connections`. */
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

/** The body of `PATCH /ats-connections/{id}`. */
@ServerSet('provider', 'region', 'marker', 'base_url', 'paused', ...SERVER_SET)
export class ChangeAtsConnection extends AtsConnectionSettings {}

/** The body of `POST /ats-connections/{id}/sync`. */
export class SyncAtsConnection {
  @Flag({ optional: true, description: 'Everything is read, and what the ATS has no more is noticed. Default false.' })
  full?: boolean;
}

/** The body of a new token. */
export class CreateAtsToken {
  @Ruled(chosenTokenProblem, CHOSEN_TOKEN, {
    optional: true,
    description: 'A token that is known already; one is made when left out.',
  })
  api_token?: string;
}

/** The body of a signing secret. */
export class SetSigningSecret {
  @Text({
    max: 500,
    description: 'The secret that the ATS signs its webhooks with. It replaces one that was set by hand.',
  })
  secret!: string;
}
