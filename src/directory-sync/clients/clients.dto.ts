import { ApiProperty } from '@nestjs/swagger';
import { ShownType } from '../../base/http/shown.js';
import { Choice, Moment, Ruled, Whole, Text } from '../../base/http/fields.js';
import { AsSent, ServerSet } from '../../base/http/validate.js';
import { MAX_URL } from '../../base/url.js';
import { DIALECT, REQUESTS_LAST_DAY } from '../directories/directories.dto.js';

const CLIENT_KINDS = ['secret', 'private_key_jwt', 'federated'] as const;
export type ClientKind = (typeof CLIENT_KINDS)[number];

const MAX_CLAIM = 500;
const EXAMPLE_ID = 'cli_01k0000000abcdefghjkmnpqrs_01k0000000abcdefghjkmnpqrs';

@AsSent('jwks')
@ServerSet(
  'id',
  'token_url',
  'scim_base_url',
  'secrets',
  'created_by',
  'created_at',
  'last_used_at',
  'revoked_at',
  'requests_last_day',
  'dialect',
)
export class CreateClient {
  @Text({ max: 200, optional: true, example: 'Entra ID' })
  name?: string;

  @Choice(CLIENT_KINDS, {
    description:
      '`secret`: a client secret, sent as Basic authentication or in the form. `private_key_jwt`: assertions that the client signs with its own key (RFC 7523). `federated`: assertions of another issuer, such as Entra workload identity.',
  })
  kind!: ClientKind;

  @Text({
    max: MAX_URL,
    optional: true,
    description:
      'Of `federated`: the `iss` of its assertions, letter by letter. The address of its metadata is cut to the part before `/.well-known/openid-configuration`.',
  })
  issuer?: string;

  @Text({ max: MAX_CLAIM, optional: true, description: 'Of `federated`: the `sub` of its assertions.' })
  subject?: string;

  @Text({
    max: MAX_CLAIM,
    optional: true,
    description: 'Of `federated`: the `aud` of its assertions. Entra shows it with `/.default`, and sends it without.',
  })
  audience?: string;

  @Ruled(
    (value) => (value !== null && typeof value === 'object' && !Array.isArray(value) ? null : 'must be a key set'),
    { type: Object, additionalProperties: true },
    {
      optional: true,
      description: 'The public keys of the assertions (RFC 7517). `private_key_jwt` needs `jwks` or `jwks_url`.',
    },
  )
  jwks?: Record<string, unknown>;

  @Text({ max: MAX_URL, optional: true, description: 'The address of the public keys. `federated` needs it.' })
  jwks_url?: string;

  @Whole({
    min: 300,
    max: 86_400,
    optional: true,
    description: 'How long an access token lives; an hour unless set. The gallery of Entra admits 3600 to 21600.',
  })
  access_token_seconds?: number;

  @Moment({
    optional: true,
    description: 'When the first secret ends: in a year unless set, in three years at the most.',
  })
  expires_at?: Date;
}

@ServerSet('id', 'prefix', 'created_by', 'created_at', 'last_used_at', 'revoked_at')
export class CreateClientSecret {
  @Moment({ optional: true, description: 'When it ends: in a year unless set, in three years at the most.' })
  expires_at?: Date;

  @Whole({
    min: 0,
    max: 30 * 86_400,
    optional: true,
    description: 'Ends the other secrets after this time; without it they stay valid.',
  })
  overlap_seconds?: number;
}

export class ClientSecretBody {
  @ApiProperty({ example: 'cls_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'The beginning of the secret, by which an administrator recognises it.' })
  prefix!: string;
  @ApiProperty({ type: Object, additionalProperties: true })
  created_by!: unknown;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty()
  expires_at!: Date;
  @ApiProperty({ type: Date, nullable: true })
  last_used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
}

export class NewClientSecretBody extends ClientSecretBody {
  @ApiProperty({ example: EXAMPLE_ID })
  client_id!: string;
  @ApiProperty({ description: 'The secret; only this answer shows it.' })
  client_secret!: string;
}

export class ClientBody extends ShownType(CreateClient, ['name', 'kind', 'access_token_seconds']) {
  @ApiProperty({ example: EXAMPLE_ID, description: 'The `client_id` of its requests for tokens.' })
  id!: string;
  @ApiProperty({ type: String, nullable: true })
  issuer!: string | null;
  @ApiProperty({ type: String, nullable: true })
  subject!: string | null;
  @ApiProperty({ type: String, nullable: true })
  audience!: string | null;
  @ApiProperty({ type: Object, additionalProperties: true, nullable: true })
  jwks!: unknown;
  @ApiProperty({ type: String, nullable: true })
  jwks_url!: string | null;
  @ApiProperty({ description: 'Where the client gets its access tokens.' })
  token_url!: string;
  @ApiProperty()
  scim_base_url!: string;
  @ApiProperty({ type: [ClientSecretBody], description: 'Of the kind `secret`, newest first, also ended ones.' })
  secrets!: ClientSecretBody[];
  @ApiProperty({ type: Object, additionalProperties: true })
  created_by!: unknown;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty({ type: Date, nullable: true })
  last_used_at!: Date | null;
  @ApiProperty({ type: Date, nullable: true })
  revoked_at!: Date | null;
}

export class ShownClientBody extends ClientBody {
  @ApiProperty(REQUESTS_LAST_DAY)
  requests_last_day!: number;
  @ApiProperty(DIALECT)
  dialect!: string | null;
}

export class NewClientBody extends ClientBody {
  @ApiProperty({ required: false, description: 'Of the kind `secret`: its first secret; only this answer shows it.' })
  client_secret?: string;
}
