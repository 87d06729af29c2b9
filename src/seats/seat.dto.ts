import { Choice, Flag, Nested, Whole } from '../base/http/fields.js';
import type { SeatPolicy } from './seat.rules.js';

const POLICIES = ['wait', 'block', 'allow'];

/** What happens when no seat is left, for each door. */
export class PoliciesDto {
  @Choice(POLICIES, { optional: true, description: 'SCIM directories' })
  directory?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'the users API' })
  api?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'just-in-time sign-in' })
  sign_in?: SeatPolicy;
}

export class SeatLimitDto {
  @Whole({ min: 0, max: 10_000_000, optional: true, nullable: true, description: 'null: no limit' })
  limit?: number | null;
  @Nested(() => PoliciesDto, { optional: true })
  policy?: PoliciesDto;
}

export class ReconcileDto {
  @Flag({ optional: true, description: 'write what makes the ledger follow the people' })
  repair?: boolean;
}
