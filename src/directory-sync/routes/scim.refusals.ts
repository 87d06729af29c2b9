import { DomainError } from '../../base/errors/domain-error.js';
import { matchesIfMatch } from '../../protocols/scim/resource/etag.js';

/** 412: `If-Match` has another version than the stored one (RFC 7644 §3.14). */
class PreconditionFailed extends DomainError {
  readonly kind = 'precondition-failed';
  readonly code = 'precondition_failed';
  constructor() {
    super('The resource has changed since this version; read it again.');
  }
}

/** 501: a feature of the protocol that this service does not have. */
export class NotImplemented extends DomainError {
  readonly kind = 'not-implemented';
  readonly code = 'not_implemented';
}

/** 403: a request that the protocol forbids, such as a filter on a discovery endpoint (RFC 7644 §4). */
export class Forbidden extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'forbidden';
}

/**
 * Checks `If-Match` (RFC 7644 §3.14).
 *
 * @throws {DomainError} 412 when the client saw another version than the stored one
 */
export function requireVersion(tag: string, ifMatch: string | undefined): void {
  if (!matchesIfMatch(ifMatch, tag)) throw new PreconditionFailed();
}
