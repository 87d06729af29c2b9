import type { SqlRunner } from '../../base/database/database.js';

/** A directory is being deleted. Other rooms clear their rows that name it in the same transaction. */
export class DirectoryDeleted {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly directoryId: string,
  ) {}
}
