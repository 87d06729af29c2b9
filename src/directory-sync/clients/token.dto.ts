import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../base/http/fields.js';

const OPTIONAL = { optional: true, max: 16_384 } as const;

/** The form of a request for an access token (RFC 6749 §4.4.2, RFC 7523 §2.2). Other fields are ignored. */
export class TokenForm {
  @Text({ max: 64, description: '`client_credentials`.' })
  grant_type!: string;
  @Text({ ...OPTIONAL, description: 'The id of the client; not with Basic authentication.' })
  client_id?: string;
  @Text({ ...OPTIONAL, description: 'The secret of the client; not with Basic authentication.' })
  client_secret?: string;
  @Text({ ...OPTIONAL, description: '`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`' })
  client_assertion_type?: string;
  @Text({ ...OPTIONAL, description: 'A JWT of the client, or of the issuer that it is federated with.' })
  client_assertion?: string;
  @Text({ ...OPTIONAL, description: 'Any text: the answer names the scope that is granted.' })
  scope?: string;
}

/** An access token (RFC 6749 §5.1). */
export class AccessTokenBody {
  @ApiProperty({ description: 'A credential of SCIM: `Authorization: Bearer <access_token>`.' })
  access_token!: string;
  @ApiProperty({ enum: ['Bearer'] })
  token_type!: string;
  @ApiProperty({ type: 'integer', description: 'Seconds.' })
  expires_in!: number;
  @ApiProperty({ enum: ['scim'] })
  scope!: string;
}

/** The metadata of the server of access tokens (RFC 8414 §2). */
export class AuthorizationServerBody {
  @ApiProperty()
  issuer!: string;
  @ApiProperty()
  token_endpoint!: string;
  @ApiProperty({ type: [String] })
  token_endpoint_auth_methods_supported!: string[];
  @ApiProperty({ type: [String] })
  token_endpoint_auth_signing_alg_values_supported!: string[];
  @ApiProperty({ type: [String] })
  grant_types_supported!: string[];
  @ApiProperty({ type: [String] })
  response_types_supported!: string[];
  @ApiProperty({ type: [String] })
  scopes_supported!: string[];
  @ApiProperty()
  service_documentation!: string;
}
