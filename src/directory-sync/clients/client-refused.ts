/** Why a client gets no access token. The values are shown as the last refusal of its directory. */
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
