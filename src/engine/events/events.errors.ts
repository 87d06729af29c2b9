import { DomainError } from '../../base/errors/domain-error.js';

/** 410: events after the position of a consumer were dropped with their month. */
export class PositionTooOld extends DomainError {
  readonly kind = 'gone';
  readonly code = 'position_too_old';
  /** @param oldest the oldest position from which no event is missing */
  constructor(oldest: string) {
    super(`Events behind this position are no longer kept. The oldest position is ${oldest}.`, {
      members: { oldest },
    });
  }
}
