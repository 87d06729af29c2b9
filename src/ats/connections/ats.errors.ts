import { DomainError } from '../../base/errors/domain-error.js';

/** Another connection of the tenant has the marker: external ids would not tell them apart. */
export class MarkerTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'marker_taken';
  constructor(id: string) {
    super('Another connection of this tenant has the marker.', { members: { id } });
  }
}

/** Another connection to this provider has the token. */
export class TokenTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'token_taken';
  constructor() {
    super('This token is in use already. Choose another one, or leave it out: then one is made.');
  }
}

/** Two tokens are live: one has to go before a third one is made. */
export class TooManyTokens extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_tokens';
  constructor() {
    super('A connection has at most two live tokens. Remove the older one first.');
  }
}

/** The connection, or the write, is in a state that the act does not fit. */
export class WrongAtsState extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'wrong_ats_state';
}
