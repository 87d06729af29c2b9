import { DomainError } from '../../base/errors/domain-error.js';
import { OidcRefused } from '../../protocols/oidc/oidc-refused.js';
import { SamlRefused } from '../../protocols/saml/saml-refused.js';

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

/** Unknown, used, expired or of another client, or the session has ended (RFC 6749 §5.2). */
export class InvalidGrant extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'invalid_grant';
  constructor() {
    const detail = 'The code or token is not valid any more, or its session has ended.';
    super(detail, { members: { error: 'invalid_grant', error_description: detail } });
  }
}

/** RFC 6749 §5.2. */
export class InvalidTokenRequest extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'invalid_token_request';
  constructor(error: 'invalid_request' | 'unsupported_grant_type', field: string, message: string) {
    const detail = `The field ${field} ${message}.`;
    super(detail, { errors: [{ field, message }], members: { error, error_description: detail } });
  }
}

/** OIDC Back-Channel Logout 1.0 §2.8. */
export class LogoutRefused extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'logout_refused';
}

/** Why a sign-in is refused. The values are stable: part of the sign-in log and of the API. */
export const REFUSAL_REASONS = [
  // the sign-in request
  'state_unknown',
  'state_used',
  'state_expired',
  'other_browser',
  'landing_lost',
  'unsolicited',
  'too_many_tries',
  // the IdP
  'idp_error',
  'idp_unreachable',
  'idp_answer_invalid',
  'token_refused',
  // OIDC
  'issuer_mismatch',
  'signature_invalid',
  'algorithm_refused',
  'audience_mismatch',
  'nonce_mismatch',
  'token_expired',
  'token_not_yet_valid',
  'claims_invalid',
  'userinfo_mismatch',
  'authentication_too_weak',
  // SAML
  'message_malformed',
  'message_too_large',
  'dtd_refused',
  'structure_refused',
  'signature_missing',
  'recipient_mismatch',
  'destination_mismatch',
  'assertion_expired',
  'assertion_not_yet_valid',
  'status_not_success',
  'in_response_to_mismatch',
  'replayed',
  'decryption_failed',
  'name_id_missing',
  'binding_refused',
  // the account
  'unknown_account',
  'account_inactive',
  'account_deleted',
  'account_held',
  'no_seat',
  'bound_to_another',
  'email_missing',
  'email_unverified',
  'email_outside_domains',
  'email_ambiguous',
  'account_taken',
  'account_changed',
  'idp_session_ended',
  'connection_disabled',
  'connection_changed',
] as const;

/** One of `REFUSAL_REASONS`. */
export type SignInRefusalReason = (typeof REFUSAL_REASONS)[number];

/** Of `email_outside_domains`: the domain is the tenant's, and bound to another connection or not bound yet. */
export type DomainCase = 'other_connection' | 'not_bound';

/**
 * A refused sign-in. `reason` and `message` go into the sign-in log of the tenant; the browser shows a plain text. `message`
 * holds no token, no assertion and no secret.
 */
export class SignInRefused extends Error {
  constructor(
    readonly reason: SignInRefusalReason,
    message: string,
    readonly account: string | null = null,
    readonly userId: string | null = null,
    /** Chooses other words for the page than those of the reason. */
    readonly domainCase: DomainCase | null = null,
  ) {
    super(message);
    this.name = 'SignInRefused';
  }
}

export const SIGN_IN_REFUSALS = [SignInRefused, SamlRefused, OidcRefused] as const;

/** Returns an error of this room or of the protocols as a refusal of the sign-in; null for any other error. */
export function refusalIn(error: unknown): SignInRefused | null {
  if (error instanceof SignInRefused) return error;
  if (error instanceof SamlRefused || error instanceof OidcRefused) {
    return new SignInRefused(error.reason, error.message);
  }
  return null;
}
