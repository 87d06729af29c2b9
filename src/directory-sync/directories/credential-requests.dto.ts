import type { ApiPropertyOptions } from '@nestjs/swagger';

/** How the API shows the requests of a credential of a directory. */
export const REQUESTS_LAST_DAY: ApiPropertyOptions = {
  type: 'integer',
  description: 'SCIM requests of the last 24 hours, in whole hours. They are counted a few seconds late.',
};

/** How the API shows the IdP of a credential. */
export const DIALECT: ApiPropertyOptions = {
  type: String,
  nullable: true,
  example: 'entra',
  description: 'The IdP that its requests of the last week show; null: none is recognised.',
};
