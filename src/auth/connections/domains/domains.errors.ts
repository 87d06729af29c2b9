import { DomainError } from '../../../base/errors/domain-error.js';

export class DomainExists extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_exists';
  /** @param bound the slug of its connection; null when it is bound to none, or to a deleted one */
  constructor(domain: string, bound: string | null) {
    const to = bound === null ? 'is bound to no connection' : `is bound to the connection ${bound}`;
    super(
      `The domain ${domain} is in your list already, and ${to}. To bind it: domain bind ${domain} --connection-id <slug>.`,
    );
  }
}

export class TooManyDomains extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_domains';
  constructor(most: number) {
    super(`A tenant has at most ${most} domains; remove one that is not needed.`);
  }
}

/** Another tenant has verified the domain. The error does not name the tenant. */
export class DomainTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_taken';
  constructor() {
    super('The domain is verified elsewhere in this installation.');
  }
}

/** The record of the domain is absent, or no name server answered. */
export class DomainNotVerified extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'domain_not_verified';
}
