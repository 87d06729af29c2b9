import type { SqlRunner } from '../../base/database/database.js';
import { Conflict, DomainError } from '../../base/errors/domain-error.js';

/** Another candidate of the tenant has the `external_id`; the error names it. */
export class ExternalIdTaken extends Conflict {
  constructor(readonly holderId: string) {
    super('external_id_taken', 'Another candidate has this external_id.', { members: { id: holderId } });
  }
}

export class CandidateContention extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'too_much_contention';
  constructor() {
    super('The candidate was changed by others again and again at the same moment; try again.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

/** The caller would change what belongs to the ATS; the error names the fields and the connection. */
export class ManagedByAts extends Conflict {
  constructor(connectionId: string, fields: readonly string[]) {
    super('managed_by_ats', 'The ATS owns these fields: change them there.', {
      members: { ats_connection_id: connectionId },
      errors: fields.map((field) => ({ field, message: 'is managed by the ATS' })),
    });
  }
}

/** A candidate is removed: rooms above remove their rows about it, in the same transaction. */
export class CandidateRemoved {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly candidate: { id: string; external_id: string; email: string },
    /** The candidate that it was merged into; null when its personal data is erased. */
    readonly mergedInto: string | null,
  ) {}
}
