import type { SqlRunner } from '../base/database/database.js';

/** A directory is being deleted: rows of other rooms that name it are cleared, in the same transaction. */
export class DirectoryDeleted {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly directoryId: string,
  ) {}
}
