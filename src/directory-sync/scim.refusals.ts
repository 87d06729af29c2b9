import { DomainError } from '../base/errors/domain-error.js';

/** `If-Match` named another version than the one stored (RFC 7644 §3.14). */
export class PreconditionFailed extends DomainError {
  readonly kind = 'precondition-failed';
  readonly code = 'precondition_failed';
  constructor() {
    super('The resource was changed by somebody else; read it again.');
  }
}

/** What the protocol knows and this service does not offer: 501. */
export class NotImplemented extends DomainError {
  readonly kind = 'not-implemented';
  readonly code = 'not_implemented';
}

/** What the protocol forbids on this address, such as a filter on a discovery endpoint (RFC 7644 §4). */
export class Forbidden extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'forbidden';
}
