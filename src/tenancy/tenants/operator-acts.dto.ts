import { Text } from '../../base/http/fields.js';
import { ChangeAnyTenant, CreateApiKey } from './tenants.dto.js';

/** Why the operator acts in a tenant. */
export const REASON = {
  max: 500,
  min: 1,
  optional: true,
  example: 'Ticket 4711: the administrators are locked out',
  description: 'Why. The audit log of the tenant has it. A session of the console has to say it.',
} as const;

/** The documentation of the reason of a request without a body. */
export const REASON_QUERY = {
  name: 'reason',
  required: false,
  schema: { type: 'string' as const, minLength: REASON.min, maxLength: REASON.max, example: REASON.example },
  description: REASON.description,
};

/** The body of `PATCH /tenants/{id}` by the operator. */
export class ChangeTenantByOperator extends ChangeAnyTenant {
  @Text(REASON)
  reason?: string;
}

/** The body of `POST /tenants/{id}/api-keys`. */
export class CreateTenantKey extends CreateApiKey {
  @Text(REASON)
  reason?: string;
}
