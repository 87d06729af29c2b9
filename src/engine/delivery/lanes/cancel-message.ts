import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

const NOT_HELD = `tenant_id = $1 and channel = $2 and destination = $3 and subject = $4 and state in ('due', 'backing_off')`;

/**
 * Removes the lane of one message that has arrived another way. A lane that is being sent stays: the message arrives once
 * more, under the same id.
 *
 * @param subject the id of the message
 */
export async function cancelMessage(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  subject: string,
): Promise<void> {
  await tx.query(`delete from lanes where ${NOT_HELD}`, [tenantId, channel, id, subject]);
}

/**
 * Moves the lane of a record, whose messages are in order, behind its first message, which has arrived another way.
 *
 * @param first what the lane was seen to begin with; it stays if that is another one by now
 * @param sequence of the message
 */
export async function passMessage(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  record: string,
  first: string,
  sequence: string,
): Promise<void> {
  const values = [tenantId, channel, id, record, first, sequence];
  await tx.query(`delete from lanes where ${NOT_HELD} and first_pending = $5 and last_pending <= $6`, values);
  await tx.query(
    `update lanes set state = 'due', rank = 1, first_pending = $6::bigint + 1, confirmed_through = $6, call = null,
       newer_since = null, next_at = '-infinity', failure_count = 0, own_failure_count = 0, failed_at = null
     where ${NOT_HELD} and first_pending = $5 and last_pending > $6`,
    values,
  );
}
