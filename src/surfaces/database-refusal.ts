import { codeOf } from '../base/database/database.js';
import type { Refusal } from './refusal.js';

// SQLSTATEs, and node's own codes for a connection that could not be made or broke.
const LOST = new Set([
  '08000', '08001', '08003', '08004', '08006', // connection failures
  '57P01', '57P02', '57P03', // shut down, crashed, starting up
  '53300', '53400', // too many connections, configuration limit
  '53100', '53200', // disk full, out of memory
  '25006', // read-only: a standby, in the middle of a failover
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN',
]); // prettier-ignore
// Statement, lock and idle-transaction time-outs, deadlocks that outlived their retries.
const SLOW = new Set(['57014', '55P03', '25P03', '40001', '40P01']);
// Text that no database can keep: U+0000, half a surrogate pair.
const BAD_TEXT = new Set(['22P05', '22021']);
const LOST_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after/;

/** A database that is away or too slow as 503, text that it cannot hold as a wrong value; null for anything else. */
export function databaseRefusal(error: unknown): Refusal | null {
  const code = codeOf(error);
  if (BAD_TEXT.has(code)) {
    return {
      kind: 'invalid',
      code: 'invalid_fields',
      detail: 'Some text holds characters that cannot be stored, such as U+0000.',
      extras: { scimType: 'invalidValue' },
    };
  }
  if (LOST.has(code) || (error instanceof Error && LOST_MESSAGE.test(error.message)))
    return busy('The database cannot be reached just now.', error);
  if (SLOW.has(code)) return busy('The database took too long.', error);
  return null;
}

function busy(detail: string, cause: unknown): Refusal {
  return { kind: 'unavailable', code: 'unavailable', detail, extras: { headers: { 'Retry-After': '5' }, cause } };
}
