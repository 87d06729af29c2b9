import type { Database, SqlRunner } from '../../../base/database/database.js';
import { codeOf } from '../../../base/database/database.errors.js';
import { TooMuchContention } from '../users.errors.js';

/** A concurrent write changed the row between the reading and the writing: decide again. Never leaves the room. */
export class LostRace extends Error {}

const ATTEMPTS = 5;

/** Returns whether a concurrent write was quicker: by the row's version, a unique index or a deadlock. */
export function isLost(error: unknown): boolean {
  return error instanceof LostRace || ['23505', '40P01', '40001'].includes(codeOf(error));
}

/**
 * Runs a transaction, and again where a concurrent write was quicker.
 *
 * @throws {TooMuchContention} when five attempts were lost
 */
export async function retried<T>(db: Database, tenantId: string, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await db.transaction(tenantId, work);
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }
  throw new TooMuchContention();
}
