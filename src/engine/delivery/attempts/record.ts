import type { SqlRunner } from '../../../base/database/database.js';
import { deliveryId, type Call } from '../call.js';
import type { DestinationKey } from '../destination.js';
import { arraysOf, arrayParameters, type ArrayColumns } from './arrays.js';
import type { Attempt } from '../outcome.js';

/** A request with the call that it belongs to. */
export interface AttemptOfCall {
  subject: string;
  call: Call;
  attempt: Attempt;
}

const COLUMNS: ArrayColumns<AttemptOfCall> = [
  ['subject', 'text', ({ subject }) => subject],
  ['delivery_id', 'text', ({ subject, call, attempt }) => attempt.deliveryId ?? deliveryId(subject, call)],
  ['first_sequence', 'bigint', ({ call, attempt }) => attempt.sequence ?? call.first],
  ['last_sequence', 'bigint', ({ call, attempt }) => attempt.sequence ?? call.through],
  ['method', 'text', ({ attempt }) => attempt.method],
  ['path', 'text', ({ attempt }) => attempt.path],
  ['status', 'int', ({ attempt }) => attempt.status],
  ['outcome', 'text', ({ attempt }) => attempt.outcome],
  ['detail', 'text', ({ attempt }) => attempt.detail],
  ['answer', 'text', ({ attempt }) => attempt.answer],
  ['duration_ms', 'int', ({ attempt }) => attempt.ms],
  ['sent_at', 'timestamptz', ({ attempt }) => attempt.sentAt],
  ['address', 'text', ({ attempt }) => attempt.address ?? null],
  ['fault', 'text', ({ attempt }) => attempt.fault ?? null],
];

const RECORD = `
  insert into attempts (tenant_id, channel, destination, ${COLUMNS.map(([name]) => name).join(', ')}, n)
  select $1, $2, $3, a.* from ${arraysOf(COLUMNS, 4)} with ordinality as a`;

/** Records requests. */
export async function recordAttempts(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  attempts: readonly AttemptOfCall[],
): Promise<void> {
  if (attempts.length > 0) await tx.query(RECORD, [tenantId, channel, id, ...arrayParameters(COLUMNS, attempts)]);
}
