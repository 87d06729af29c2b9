import { DomainError } from '../base/errors/domain-error.js';

/** No seat is left and the channel's policy is `block`: 409 in the API, 403 in SCIM. */
export class SeatLimitReached extends DomainError {
  readonly kind = 'no-seat';
  readonly code = 'seat_limit_reached';
  constructor(limit: number) {
    super(`All ${limit} seats are taken. Free one, or raise the limit, and try again.`);
  }
}
