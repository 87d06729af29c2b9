import type { SqlRunner } from '../../base/database/database.js';

/** A directory is being deleted. Other rooms clear their rows that name it in the same transaction, or refuse by an error. */
export class DirectoryDeleted {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly directoryId: string,
    /** The caller deletes it even where a credential was used in the last 24 hours. */
    readonly force: boolean,
  ) {}
}
