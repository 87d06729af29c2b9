import { DomainError } from '../../../base/errors/domain-error.js';

/** Why an inbound webhook was refused: for the connection and the log, not for the caller. */
type InboundRefusal = 'token' | 'signature_invalid' | 'signature_absent' | 'signature_stale';

/** The answer is the same in all cases: a caller who guesses tokens does not learn which one exists. */
export class InboundRefused extends DomainError {
  readonly kind = 'unauthenticated';
  readonly code = 'token_unknown';
  constructor(readonly reason: InboundRefusal) {
    super(
      'The token of the connection is missing or wrong, or the signature does not fit. Send one token: api_token in the ' +
        'query, or the header X-Api-Token. The connection shows a signature that does not fit as its reason.',
    );
  }
}
