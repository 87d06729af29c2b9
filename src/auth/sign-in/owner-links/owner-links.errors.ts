import { DomainError } from '../../../base/errors/domain-error.js';

/** The tenant has no owner, and the request names no user. */
export class NoOwner extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'no_owner';
  constructor() {
    super('The tenant has no owner. Set owner_user_id of the tenant to an active user first.');
  }
}

/** The user of a sign-in link is deleted or inactive. */
export class OwnerInactive extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'owner_inactive';
  constructor(userId: string) {
    super(
      `The user ${userId} is inactive or deleted, and cannot sign in. Name another owner (owner_user_id of the tenant), or a break-glass account that is active.`,
      { members: { id: userId } },
    );
  }
}

/** The sign-in link is used, replaced, expired or unknown, or its user may no longer use it. */
export class SignInLinkOver extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'sign_in_link_over';
  constructor() {
    super(
      'This sign-in link is not valid. A link works once, for ten minutes, and ends when a newer one is made. Ask the operator for a new link.',
    );
  }
}
