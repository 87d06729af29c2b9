import { DomainError } from '../../base/errors/domain-error.js';

export class SlugTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'slug_taken';
  constructor() {
    super('This slug is taken, or was a connection of another tenant; choose another one, or leave it out.');
  }
}

export class EntityIdTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'entity_id_taken';
  constructor() {
    super(
      'Another tenant uses this sp_entity_id, or has used it; choose another one, or leave it out for the address of our metadata.',
    );
  }
}

export class TooManyConnections extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_connections';
  constructor(most: number) {
    super(`A tenant has at most ${most} connections; delete one that is not needed.`);
  }
}

/** A SAML IdP has no address that answers questions. */
export class NotCheckable extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'not_checkable';
  constructor() {
    super('A SAML connection is looked at by refresh-metadata, or by a test sign-in.');
  }
}

/** The metadata has changed so much that an administrator has to confirm it. */
export class MetadataNeedsConfirmation extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'metadata_needs_confirmation';
  constructor(problem: string) {
    super(`This needs your confirmation ({"confirm": true}): ${problem}.`);
  }
}
