import type { SqlRunner } from '../../base/database/database.js';
import { eraseAnswers } from '../delivery/attempts/erase-answers.js';
import { eventId } from './event-id.js';

/**
 * Reduces the data of every event about a record to its ids and its sequence, in the transaction that erases the record.
 * Messages that wait or are kept have no body of their own, so that they carry the ids alone from then on. Answers of
 * receivers that repeated what they were sent go with it.
 *
 * The sequence is the last member of the data of such events. It is cut from the text, because the JSON functions of
 * PostgreSQL refuse escapes that are valid in JSON (half a surrogate pair, U+0000).
 *
 * @param keep the ids that stay
 */
export async function eraseRecord(
  tx: SqlRunner,
  tenantId: string,
  record: string,
  keep: { id: string; external_id?: string },
): Promise<void> {
  const kept = JSON.stringify(keep).slice(0, -1);
  const { rows } = await tx.query<{ sequence: string }>(
    `update events set data = ($3 || coalesce(substring(data::text from ',"sequence":[0-9]+}$'), '}'))::json
     where tenant_id = $1 and record = $2 returning sequence`,
    [tenantId, record, kept],
  );
  await eraseAnswers(tx, tenantId, [record, ...rows.map(({ sequence }) => eventId(sequence))]);
}
