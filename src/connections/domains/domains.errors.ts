import { DomainError } from '../../base/errors/domain-error.js';

/** The domain is in the tenant's list already. */
export class DomainExists extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_exists';
  constructor() {
    super('This domain is in your list already.');
  }
}

/** The tenant has the maximum number of domains. */
export class TooManyDomains extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_domains';
  constructor(most: number) {
    super(`A tenant has at most ${most} domains; remove one that is not needed.`);
  }
}

/** Another tenant has verified the domain. The error does not say which one. */
export class DomainTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_taken';
  constructor() {
    super('The domain is verified elsewhere in this installation.');
  }
}

/** The record of the domain is not there, or no name server could say. */
export class DomainNotVerified extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_not_verified';
}
