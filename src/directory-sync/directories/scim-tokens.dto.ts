import { ApiProperty } from '@nestjs/swagger';
import { Moment, Text } from '../../base/http/fields.js';
import { ServerSet } from '../../base/http/validate.js';
import { CredentialBody } from '../../tenancy/tenants/tenants.dto.js';
import { DIALECT, REQUESTS_LAST_DAY } from './credential-requests.dto.js';

/** The body of `POST /directories/{id}/tokens`. */
@ServerSet('id', 'prefix', 'created_by', 'created_at', 'last_used_at', 'revoked_at', 'requests_last_day', 'dialect')
export class CreateScimToken {
  @Text({ max: 200, optional: true, example: 'Okta production' })
  name?: string;

  @Moment({
    optional: true,
    nullable: true,
    description: 'At most a year from now; without it the token does not expire.',
  })
  expires_at?: Date | null;
}

/** A SCIM token without its secret. */
export class ScimTokenBody extends CredentialBody {
  @ApiProperty({ example: 'tok_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty(REQUESTS_LAST_DAY)
  requests_last_day!: number;
  @ApiProperty(DIALECT)
  dialect!: string | null;
}

/** A SCIM token with its secret, in the answer that creates it. */
export class NewScimTokenBody extends ScimTokenBody {
  @ApiProperty({ description: 'The secret; only this answer shows it.' })
  scim_token!: string;
  @ApiProperty()
  scim_base_url!: string;
}
