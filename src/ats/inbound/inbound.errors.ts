import { DomainError } from '../../base/errors/domain-error.js';

const WORDS = {
  token_missing: 'Send the token of the connection: api_token in the query, or in the header X-Api-Token.',
  token_unknown: 'No connection to this ATS has this token.',
  signature_invalid: 'The signature does not fit the body and the secret of the connection.',
  signature_absent: 'The connection has a signing secret, and the request has no signature.',
  signature_stale: 'The time that is signed is too long ago, or in the future.',
} as const;

/** Why an inbound webhook was refused. */
export type InboundRefusal = keyof typeof WORDS;

/** An inbound webhook without a right token or signature. */
export class InboundRefused extends DomainError {
  readonly kind = 'unauthenticated';
  constructor(readonly code: InboundRefusal) {
    super(WORDS[code]);
  }
}
