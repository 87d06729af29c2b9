import { DomainError } from '../../base/errors/domain-error.js';

/** There is no session, or it has ended. */
export class NoSession extends DomainError {
  readonly kind = 'unauthenticated';
  readonly code = 'no_session';
  constructor() {
    super('There is no session, or it has ended. Sign in again.', {
      headers: { 'WWW-Authenticate': 'Cookie realm="talent-bridge"' },
    });
  }
}

/** A code or token that is unknown, used, expired or of another client, or whose session has ended (RFC 6749 §5.2). */
export class InvalidGrant extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'invalid_grant';
  constructor() {
    const detail = 'The code or token is not valid any more, or its session has ended.';
    super(detail, { members: { error: 'invalid_grant', error_description: detail } });
  }
}

/** An invalid request for a token (RFC 6749 §5.2). */
export class InvalidTokenRequest extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'invalid_token_request';
  constructor(error: 'invalid_request' | 'unsupported_grant_type', field: string, message: string) {
    const detail = `The field ${field} ${message}.`;
    super(detail, { errors: [{ field, message }], members: { error, error_description: detail } });
  }
}

/** A logout message of an IdP that is not accepted (OIDC Back-Channel Logout 1.0 §2.8). */
export class LogoutRefused extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'logout_refused';
}
