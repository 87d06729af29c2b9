import type { SqlRunner } from '../../../base/database/database.js';

/**
 * Removes what receivers answered to messages: an answer can repeat the personal data of the message. Status, time and
 * address of each attempt stay.
 *
 * @param subjects the ids of the messages, and of the records whose messages are in order
 */
export async function eraseAnswers(tx: SqlRunner, tenantId: string, subjects: readonly string[]): Promise<void> {
  await tx.query(
    `update attempts set answer = null
     where tenant_id = $1 and subject = any($2::text[]) and channel <> 'platform' and answer is not null`,
    [tenantId, subjects],
  );
}
