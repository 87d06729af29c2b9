import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Choice, Flag, Ruled, Whole } from '../base/http/fields.js';
import type { SeatPolicy } from './seat.rules.js';

const POLICIES = ['wait', 'block', 'allow'];
const CHANNELS = ['directory', 'api', 'sign_in'];
const ONE_OF = `must be one of: ${POLICIES.join(', ')}`;

/** What happens when no seat is left, for each channel. */
class PoliciesDto {
  @Choice(POLICIES, { optional: true, description: 'SCIM directories' })
  directory?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'the users API' })
  api?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'just-in-time sign-in' })
  sign_in?: SeatPolicy;
}

/** The body of `PUT /seats/limit`. */
@ApiExtraModels(PoliciesDto)
export class SeatLimitDto {
  @Whole({ min: 0, max: 10_000_000, optional: true, nullable: true, description: 'null: no limit' })
  limit?: number | null;
  @Ruled(
    policyProblem,
    { oneOf: [{ type: 'string', enum: POLICIES }, { $ref: getSchemaPath(PoliciesDto) }] },
    { optional: true, description: 'one word for every channel, or one for each' },
  )
  policy?: SeatPolicy | PoliciesDto;
}

/** The policies of a request: one word applies to every channel. */
export function policiesIn(policy: SeatPolicy | PoliciesDto | undefined): PoliciesDto {
  return typeof policy === 'string' ? { directory: policy, api: policy, sign_in: policy } : (policy ?? {});
}

function policyProblem(value: unknown): string | null {
  if (typeof value === 'string') return POLICIES.includes(value) ? null : ONE_OF;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return ONE_OF;
  for (const [channel, policy] of Object.entries(value)) {
    if (!CHANNELS.includes(channel)) return `knows no channel "${channel}"; known: ${CHANNELS.join(', ')}`;
    if (typeof policy !== 'string' || !POLICIES.includes(policy)) return `of ${channel} ${ONE_OF}`;
  }
  return null;
}

/** The body of `POST /seats/reconcile`. */
export class ReconcileDto {
  @Flag({ optional: true, description: 'append the lines that make the ledger follow the users' })
  repair?: boolean;
}
