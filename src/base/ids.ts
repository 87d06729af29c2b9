import { randomFillSync } from 'node:crypto';

// Crockford's base 32: no letter that reads like a digit, and its byte order is its value order.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL = Buffer.allocUnsafe(16 * 256);
let used = POOL.length;
let lastTime = 0;
let lastHead = '';

/** The public prefix of each kind of id; a prefix tells a reader what an id is, never whose. */
export type IdPrefix = 'ten' | 'usr' | 'grp' | 'dir' | 'key' | 'tok' | 'tsk' | 'evt' | 'req' | 'con' | 'ses' | 'sin';

/**
 * A new id: prefix, then 10 letters of time and 16 of randomness (80 bits). Ids made later sort later (to the
 * millisecond), so that the primary key is also the order of creation, and inserts touch one end of each index.
 * The text never contains "bulkId" (RFC 7643 §3.1).
 */
export function newId(prefix: IdPrefix, now: number = Date.now()): string {
  if (used + 16 > POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  let tail = '';
  for (let i = 0; i < 16; i++) tail += ALPHABET[POOL[used + i]! & 31]!;
  used += 16;
  return `${prefix}_${timeHead(now)}${tail}`;
}

function timeHead(now: number): string {
  if (now === lastTime) return lastHead;
  let head = '';
  let rest = now;
  for (let i = 0; i < 10; i++) {
    head = ALPHABET[rest % 32]! + head;
    rest = Math.floor(rest / 32);
  }
  lastTime = now;
  lastHead = head;
  return head;
}
