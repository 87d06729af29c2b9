import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiNoContentResponse, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import { ApiRefusals } from '../../../base/http/api-answers.js';

/** A user by e-mail (RFC 9493 §3.2.2). */
class EmailSubject {
  @ApiProperty({ enum: ['email'] })
  format!: 'email';
  @ApiProperty({ maxLength: 1_024, example: 'ada@example.com' })
  email!: string;
}

/** A user by the IdP's name (RFC 9493 §3.2.4). */
class IssuerSubject {
  @ApiProperty({ enum: ['iss_sub'] })
  format!: 'iss_sub';
  @ApiProperty({ maxLength: 1_024, description: 'The issuer, or the entity id, of the connection.' })
  iss!: string;
  @ApiProperty({ maxLength: 1_024, description: '`sub`, or the NameID.' })
  sub!: string;
}

/** A user by an id alone (RFC 9493 §3.2.5). */
class OpaqueSubject {
  @ApiProperty({ enum: ['opaque'] })
  format!: 'opaque';
  @ApiProperty({ maxLength: 1_024, description: 'The IdP’s own id of the user, or ours.' })
  id!: string;
}

const SUBJECTS = [EmailSubject, IssuerSubject, OpaqueSubject];

/** Describes universal logout for the API reference. */
export function DescribedRevocation(): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(...SUBJECTS),
    ApiHeader({
      name: 'Authorization',
      required: true,
      schema: { type: 'string' },
      description:
        '`Bearer` and a JWT of the type `global-token-revocation+jwt`, signed with a key of the connection’s IdP: `iss` its issuer, `aud` this address, `iat`, `exp` and a new `jti`.',
    }),
    ApiBody({
      schema: {
        type: 'object',
        required: ['sub_id'],
        properties: {
          sub_id: {
            oneOf: SUBJECTS.map((one) => ({ $ref: getSchemaPath(one) })),
            discriminator: { propertyName: 'format' },
          },
        },
      },
    }),
    ApiNoContentResponse({ description: 'All sessions of the user are over, on every process. Empty.' }),
    ApiRefusals({
      400: ['several_credentials'],
      401: ['credential_missing', 'credential_invalid'],
      429: ['too_many_requests'],
    }),
  );
}
