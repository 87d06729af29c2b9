import type { SqlRunner } from '../../base/database/database.js';

/** Removes what receivers answered to messages of some subjects: an answer can repeat the message. */
export async function eraseAnswers(tx: SqlRunner, tenantId: string, subjects: readonly string[]): Promise<void> {
  await tx.query(
    `update attempts set answer = null where tenant_id = $1 and subject = any($2::text[]) and answer is not null`,
    [tenantId, subjects],
  );
}
