import { DomainError } from '../../base/errors/domain-error.js';

/** A request for a token that cannot be read (RFC 6749 §5.2). */
export class InvalidTokenAsk extends DomainError {
  readonly kind = 'malformed';
  constructor(
    readonly code: 'invalid_request' | 'unsupported_grant_type',
    detail: string,
  ) {
    super(detail);
  }
}

/**
 * A client that is not authenticated (RFC 6749 §5.2). Unknown clients, wrong secrets and clients of other tenants look alike
 * from outside; the directory remembers the reason.
 */
export class InvalidClient extends DomainError {
  readonly kind = 'unauthenticated';
  readonly code = 'invalid_client';
  constructor() {
    super(
      'The client is not authenticated: its id is unknown, or its secret or assertion is not valid. The directory shows the reason as its last refusal.',
      { headers: { 'WWW-Authenticate': 'Basic realm="talent-bridge"' } },
    );
  }
}
