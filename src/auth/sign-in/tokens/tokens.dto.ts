import { ApiProperty } from '@nestjs/swagger';
import { Text } from '../../../base/http/fields.js';
import { OpenBody } from '../../../base/http/validate.js';

const MAX_TOKEN = 8_192;

/** RFC 6749 §4.1.3, §6. */
@OpenBody()
export class TokenAsk {
  @Text({ max: 64, optional: true, description: '`authorization_code` or `refresh_token`; follows from the others.' })
  grant_type?: string;
  @Text({ max: 200, optional: true, description: 'The one-time code that the browser brought.' })
  code?: string;
  @Text({
    max: 128,
    optional: true,
    description: 'With `code`: the verifier of the challenge that the sign-in began with (RFC 7636).',
  })
  code_verifier?: string;
  @Text({ max: 200, optional: true })
  refresh_token?: string;
}

/** RFC 7662 §2.1. */
@OpenBody()
export class IntrospectAsk {
  @Text({ max: MAX_TOKEN })
  token!: string;
}

/** RFC 6749 §5.1. */
export class IssuedTokenBody {
  @ApiProperty({ description: 'A JWT (RS256) of five minutes with `sid`.' })
  access_token!: string;
  @ApiProperty({ enum: ['Bearer'] })
  token_type!: 'Bearer';
  @ApiProperty({ type: 'integer', description: 'Seconds.' })
  expires_in!: number;
  @ApiProperty({ required: false, description: 'Good once, and only while the session is live.' })
  refresh_token?: string;
  @ApiProperty()
  session_id!: string;
}

const OPTIONAL = { required: false } as const;
const NULLABLE = { type: String, nullable: true, required: false } as const;
const SECONDS = { type: 'integer', required: false, description: 'Seconds since 1970.' } as const;

export class IntrospectionBody {
  @ApiProperty({ description: 'When it is false, the answer has no other field.' })
  active!: boolean;
  @ApiProperty({ ...OPTIONAL, enum: ['Bearer'] })
  token_type?: string;
  @ApiProperty({ ...OPTIONAL, description: 'The origin of `APP_URL`.' })
  iss?: string;
  @ApiProperty({ ...OPTIONAL, description: 'The origin of the application.' })
  aud?: string;
  @ApiProperty({ ...OPTIONAL, description: 'The same.' })
  client_id?: string;
  @ApiProperty({ ...OPTIONAL, description: 'The user.' })
  sub?: string;
  @ApiProperty({ ...OPTIONAL, description: 'The session.' })
  sid?: string;
  @ApiProperty(OPTIONAL)
  tenant?: string;
  @ApiProperty({
    ...NULLABLE,
    description: 'The slug of the connection; null of a session that a sign-in link began.',
  })
  connection?: string | null;
  @ApiProperty(NULLABLE)
  email?: string | null;
  @ApiProperty(OPTIONAL)
  given_name?: string;
  @ApiProperty(OPTIONAL)
  family_name?: string;
  @ApiProperty(NULLABLE)
  role?: string | null;
  @ApiProperty(OPTIONAL)
  jti?: string;
  @ApiProperty(SECONDS)
  iat?: number;
  @ApiProperty(SECONDS)
  exp?: number;
}
