import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import type { Attempt } from '../outcome.js';

/** Records a request that no lane asked for: a test, or a repetition by hand. Its subject is its own id. */
export async function recordDirect(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  attempt: Attempt,
): Promise<void> {
  await db.query(
    `insert into attempts (tenant_id, channel, destination, subject, delivery_id, first_sequence, last_sequence, method,
       path, status, outcome, detail, answer, duration_ms, sent_at, address, fault, n)
     values ($1, $2, $3, $4, $4, $5, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 1)`,
    [
      tenantId,
      channel,
      id,
      attempt.deliveryId,
      attempt.sequence ?? 0,
      attempt.method,
      attempt.path,
      attempt.status,
      attempt.outcome,
      attempt.detail,
      attempt.answer,
      attempt.ms,
      attempt.sentAt,
      attempt.address ?? null,
      attempt.fault ?? null,
    ],
  );
}
