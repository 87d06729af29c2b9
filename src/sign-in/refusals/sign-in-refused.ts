/** Why nobody was signed in; stable, part of the sign-in log and of the API. */
export const REFUSAL_REASONS = [
  // the transaction
  'state_unknown', 'state_used', 'state_expired', 'other_browser', 'landing_lost', 'unsolicited', 'too_many_tries',
  // what the IdP said
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
  'email_missing', 'email_unverified', 'email_outside_domains', 'account_taken', 'account_changed', 'idp_session_ended', 'connection_disabled',
  'connection_changed',
] as const; // prettier-ignore

/** One of `REFUSAL_REASONS`. */
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/**
 * A sign-in that is refused. `reason` and `message` go into the tenant's sign-in log; the browser is told one of a few
 * plain sentences. `message` holds no token, no assertion and no secret.
 */
export class SignInRefused extends Error {
  constructor(
    readonly reason: RefusalReason,
    message: string,
    /** Whom the IdP named, where that was verified: shown to the person and kept in the log. */
    readonly account: string | null = null,
    /** Which person of ours it was about, for their history. */
    readonly userId: string | null = null,
  ) {
    super(message);
    this.name = 'SignInRefused';
  }
}
