import { DomainError } from '../../base/errors/domain-error.js';

/** The tenant has this domain in its list already. */
export class DomainExists extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_exists';
  constructor() {
    super('This domain is in your list already.');
  }
}

/** As many domains as a tenant can have. */
export class TooManyDomains extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_domains';
  constructor(most: number) {
    super(`A tenant has at most ${most} domains; remove one that is not needed.`);
  }
}

/** Somebody else has shown that the domain is theirs; who, is nobody's business. */
export class DomainTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_taken';
  constructor() {
    super('The domain is verified elsewhere in this installation.');
  }
}

/** The record that would prove the domain is not there, or nobody could say. */
export class DomainNotVerified extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_not_verified';
}
