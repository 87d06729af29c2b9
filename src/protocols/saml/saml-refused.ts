/** Why a SAML message is refused. The values are part of the sign-in log and of the API. */
export type SamlRefusalReason =
  | 'too_many_tries'
  | 'unsolicited'
  | 'idp_answer_invalid'
  | 'issuer_mismatch'
  | 'signature_invalid'
  | 'algorithm_refused'
  | 'audience_mismatch'
  | 'claims_invalid'
  | 'authentication_too_weak'
  | 'message_malformed'
  | 'message_too_large'
  | 'dtd_refused'
  | 'structure_refused'
  | 'signature_missing'
  | 'recipient_mismatch'
  | 'destination_mismatch'
  | 'assertion_expired'
  | 'assertion_not_yet_valid'
  | 'status_not_success'
  | 'in_response_to_mismatch'
  | 'decryption_failed'
  | 'name_id_missing'
  | 'binding_refused';

/** A SAML message that is refused. `message` is for the sign-in log: it holds no assertion and no secret. */
export class SamlRefused extends Error {
  constructor(
    readonly reason: SamlRefusalReason,
    message: string,
  ) {
    super(message);
    this.name = 'SamlRefused';
  }
}
