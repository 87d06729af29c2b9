/** Why an answer or a token of an OpenID provider is refused. The values are part of the sign-in log and of the API. */
export type OidcRefusalReason =
  | 'state_unknown'
  | 'idp_error'
  | 'idp_unreachable'
  | 'idp_answer_invalid'
  | 'token_refused'
  | 'issuer_mismatch'
  | 'signature_invalid'
  | 'algorithm_refused'
  | 'audience_mismatch'
  | 'nonce_mismatch'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'claims_invalid'
  | 'userinfo_mismatch'
  | 'authentication_too_weak';

/** An answer or a token that is refused. `message` is for the sign-in log: it holds no token and no secret. */
export class OidcRefused extends Error {
  constructor(
    readonly reason: OidcRefusalReason,
    message: string,
  ) {
    super(message);
    this.name = 'OidcRefused';
  }
}
