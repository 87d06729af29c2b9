import { deliveryId, type Call } from '../call.js';
import type { Attempt } from '../outcome.js';

/** A request with the call that it belongs to. */
export interface AttemptsOfCall {
  subject: string;
  call: Call;
  attempt: Attempt;
}

type Columns = [name: string, type: string, value: (of: AttemptsOfCall) => unknown][];

const COLUMNS: Columns = [
  ['subject', 'text', ({ subject }) => subject],
  ['delivery_id', 'text', ({ subject, call }) => deliveryId(subject, call)],
  ['first_sequence', 'bigint', ({ call }) => call.first],
  ['last_sequence', 'bigint', ({ call }) => call.through],
  ['method', 'text', ({ attempt }) => attempt.method],
  ['path', 'text', ({ attempt }) => attempt.path],
  ['status', 'int', ({ attempt }) => attempt.status],
  ['outcome', 'text', ({ attempt }) => attempt.outcome],
  ['detail', 'text', ({ attempt }) => attempt.detail],
  ['answer', 'text', ({ attempt }) => attempt.answer],
  ['duration_ms', 'int', ({ attempt }) => attempt.ms],
  ['sent_at', 'timestamptz', ({ attempt }) => attempt.sentAt],
];

/** The columns of attempts that a statement inserts, and the arrays that hold their values. */
export const ATTEMPTS_ARRAYS = {
  count: COLUMNS.length,
  names: COLUMNS.map(([name]) => name).join(', '),
  /** The arrays as a table function; `first` is the number of the first parameter. */
  rows: (first: number): string => `unnest(${COLUMNS.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')})`,
};

/** Returns the parameters of {@link ATTEMPTS_ARRAYS}: one array for each column. */
export function attemptValues(attempts: readonly AttemptsOfCall[]): unknown[] {
  return COLUMNS.map(([, , value]) => attempts.map(value));
}
