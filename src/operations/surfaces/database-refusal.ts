import { codeOf } from '../../base/database/database.errors.js';
import { troubleIn } from '../../base/database/database-health.js';
import type { Refusal } from './refusal.types.js';

// Too many connections, a configuration limit, out of memory.
const SHORT = new Set(['53300', '53400', '53200']);
// Statement, lock and idle-transaction time-outs, deadlocks that outlived their retries.
const SLOW = new Set(['57014', '55P03', '25P03', '40001', '40P01']);
// Text that no database can keep: U+0000, half a surrogate pair.
const BAD_TEXT = new Set(['22P05', '22021']);
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
  const trouble = troubleIn(error);
  if (trouble === 'disk full') {
    const full = busy(
      'The database has no room left on its disk: nothing can be written until the operator makes some.',
      error,
    );
    return { ...full, code: 'storage_full' };
  }
  if (trouble === 'away' || SHORT.has(code)) return busy('The database cannot be reached just now.', error);
  if (SLOW.has(code)) return busy('The database took too long.', error);
  return null;
}

function busy(detail: string, cause: unknown): Refusal {
  return { kind: 'unavailable', code: 'unavailable', detail, extras: { headers: { 'Retry-After': '5' }, cause } };
}
