import { DomainError } from '../../base/errors/domain-error.js';

/** Another user of the tenant has a unique value. The refusal names the user where the caller may see it. */
export class Taken extends DomainError {
  readonly kind = 'conflict';
  readonly code: 'email_taken' | 'external_id_taken' | 'user_name_taken';
  constructor(
    code: 'email_taken' | 'external_id_taken' | 'user_name_taken',
    readonly holderId: string,
  ) {
    const what = { email_taken: 'e-mail', external_id_taken: 'external_id', user_name_taken: 'userName' }[code];
    super(`Another user has this ${what}.`, { members: { id: holderId }, scimType: 'uniqueness' });
    this.code = code;
  }
}

export class ManagedByDirectory extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'managed_by_directory';
  constructor(directory: { id: string; name: string }, fields: string[]) {
    super(`The directory "${directory.name}" manages ${fields.join(', ')} of this user; change them there.`, {
      members: { directory, fields },
    });
  }
}

/** Too many concurrent writes to one user. */
export class TooMuchContention extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'too_much_contention';
  constructor() {
    super('The user was changed by others again and again at the same moment; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
}
