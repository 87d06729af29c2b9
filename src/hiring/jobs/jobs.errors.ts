import { Conflict } from '../../base/errors/domain-error.js';

/** The ATS that brings the opening owns its fields; names those that would change, and the connection. */
export class JobManagedByAts extends Conflict {
  constructor(connectionId: string, fields: readonly string[]) {
    super('managed_by_ats', 'The ATS owns this opening: change it there.', {
      members: { ats_connection_id: connectionId },
      errors: fields.map((field) => ({ field, message: 'is managed by the ATS' })),
    });
  }
}
