import type { SqlRunner } from '../../base/database/database.js';

/** A candidate is removed: rooms above remove what they keep of it, in the same transaction. */
export class CandidateRemoved {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly candidate: { id: string; external_id: string; email: string },
    /** The candidate that it was merged into; null: its personal data is erased. */
    readonly mergedInto: string | null,
  ) {}
}
