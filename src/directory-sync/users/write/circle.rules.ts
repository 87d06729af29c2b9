import { emailKey, type UserDocument, draftOf } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { requestedKey } from './requested-state.rules.js';
import type { WritingDirectory } from './write-context.js';

/** A value that no two active users of a tenant share. */
export type UniqueField = 'email' | 'external_id';

/** The unique values that a user has in force, and those that it requests, in the form in which they are compared. */
export interface UniqueValues {
  has: Record<UniqueField, string | null>;
  wants: Record<UniqueField, string | null>;
}

/** Returns whether a user is active, and held for a value that another active user has. */
export function isInConflict({ status, active, gone, held }: UserRow): boolean {
  return status === 'active' && active && !gone && (held === 'email_taken' || held === 'external_id_taken');
}

/** Returns the unique values of a user of a directory; of an unmanaged user, `directory` is null. */
export function uniqueValuesOf(row: UserRow, directory: Pick<WritingDirectory, 'attributeMap'> | null): UniqueValues {
  const draft = draftOf(JSON.parse(row.doc) as UserDocument, directory?.attributeMap);
  const keyOf = (email: string | null): string | null => (email === null ? null : emailKey(email));
  return {
    has: { email: keyOf(row.email), external_id: row.person_external_id },
    wants: { email: keyOf(draft.email), external_id: requestedKey(row, draft, directory !== null) },
  };
}

/** Returns whether each claim wants what the next one has, and the last one what the first one has. */
export function isExchangeCircle(claims: readonly UniqueValues[], field: UniqueField): boolean {
  return (
    claims.length > 1 &&
    claims.every(({ wants }, i) => {
      const next = claims[(i + 1) % claims.length]!;
      return wants[field] !== null && wants[field] === next.has[field];
    })
  );
}
