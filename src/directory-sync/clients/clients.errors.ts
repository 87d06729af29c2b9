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

/** Why a client gets no access token. A directory shows the value as its last refusal. */
export type ClientRefusalReason =
  | 'client_unknown'
  | 'client_deleted'
  | 'wrong_method'
  | 'wrong_address'
  | 'outside_allow_from'
  | 'secret_unknown'
  | 'secret_expired'
  | 'secret_revoked'
  | 'assertion_invalid'
  | 'assertion_expired'
  | 'assertion_not_yet_valid'
  | 'assertion_lives_too_long'
  | 'assertion_without_jti'
  | 'assertion_replayed'
  | 'issuer_mismatch'
  | 'subject_mismatch'
  | 'audience_mismatch'
  | 'algorithm_refused'
  | 'signature_invalid'
  | 'keys_unreachable'
  | 'keys_invalid';

/** A client that gets no access token. Its caller learns `invalid_client` alone. */
export class ClientRefused extends Error {
  constructor(readonly reason: ClientRefusalReason) {
    super(reason);
    this.name = 'ClientRefused';
  }
}
