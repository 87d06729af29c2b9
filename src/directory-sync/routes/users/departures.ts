import type { UserDocument } from '../../users/user.mapping.js';
import type { UserRow } from '../../users/user.row.js';
import type { WriteContext } from '../../users/write/write-context.js';
import { writeContext, type CurrentDirectory } from '../current-directory.js';
import type { RequestFacts } from '../request-facts.js';

/** Returns a check whether a user is the directory's own. */
export const isOf =
  (directory: CurrentDirectory) =>
  (row: UserRow): boolean =>
    row.directory_id === directory.id;

/**
 * Returns the departure in a write of a directory that has a live successor; null: the write has no effect. A user whom
 * the successor has not linked yet leaves when the old directory deactivates it.
 */
export function departureIn(before: UserDocument, after: UserDocument, mine: boolean): UserDocument | null {
  return mine && after['active'] === false ? { ...before, active: false } : null;
}

/** Returns the context of a write of a directory. Departures of a directory with a live successor take effect. */
export function ownContext(directory: CurrentDirectory, { requestId, receivedAt }: RequestFacts): WriteContext {
  const context = writeContext(directory, requestId, receivedAt);
  return directory.writing.superseded
    ? { ...context, directory: { ...directory.writing, superseded: false } }
    : context;
}
