/** Why a sign-in is refused. The values are stable: part of the sign-in log and of the API. */
export const REFUSAL_REASONS = [
  // the sign-in request
  'state_unknown', 'state_used', 'state_expired', 'other_browser', 'landing_lost', 'unsolicited', 'too_many_tries',
  // the IdP
  'idp_error', 'idp_unreachable', 'idp_answer_invalid', 'token_refused',
  // OIDC
  'issuer_mismatch', 'signature_invalid', 'algorithm_refused', 'audience_mismatch', 'nonce_mismatch', 'token_expired',
  'token_not_yet_valid', 'claims_invalid', 'userinfo_mismatch', 'authentication_too_weak',
  // SAML
  'message_malformed', 'message_too_large', 'dtd_refused', 'structure_refused', 'signature_missing',
  'recipient_mismatch', 'destination_mismatch', 'assertion_expired', 'assertion_not_yet_valid', 'status_not_success',
  'in_response_to_mismatch', 'replayed', 'decryption_failed', 'name_id_missing', 'binding_refused',
  // the account
  'unknown_account', 'account_inactive', 'account_deleted', 'account_held', 'no_seat', 'bound_to_another',
  'email_missing', 'email_unverified', 'email_outside_domains', 'email_ambiguous', 'account_taken', 'account_changed', 'idp_session_ended', 'connection_disabled',
  'connection_changed',
] as const; // prettier-ignore

/** One of `REFUSAL_REASONS`. */
export type SignInRefusalReason = (typeof REFUSAL_REASONS)[number];

/** Of `email_outside_domains`: the domain is the tenant's, and bound to another connection or not bound yet. */
export type DomainCase = 'other_connection' | 'not_bound';

/**
 * A sign-in that is refused. `reason` and `message` go into the sign-in log of the tenant; the browser shows a plain
 * text. `message` holds no token, no assertion and no secret.
 */
export class SignInRefused extends Error {
  constructor(
    readonly reason: SignInRefusalReason,
    message: string,
    /** The verified account, for the page and the log. */
    readonly account: string | null = null,
    /** The user whom it concerns, for the user's history. */
    readonly userId: string | null = null,
    /** Chooses other words for the page; null: those of the reason. */
    readonly domainCase: DomainCase | null = null,
  ) {
    super(message);
    this.name = 'SignInRefused';
  }
}
