import { randomFillSync } from 'node:crypto';

// Crockford's base 32: no letter looks like a digit, and the order of bytes is the order of values.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const POOL = Buffer.allocUnsafe(16 * 256);
let used = POOL.length;
let lastTime = 0;
let lastHead = '';

/** A prefix shows the kind, never the owner. */
type IdPrefix =
  | 'ten'
  | 'usr'
  | 'grp'
  | 'dir'
  | 'key'
  | 'tok'
  | 'tsk'
  | 'req'
  | 'con'
  | 'ses'
  | 'sin'
  | 'whk'
  | 'whs'
  | 'cand'
  | 'job'
  | 'int'
  | 'ats'
  | 'atk'
  | 'asg'
  | 'alk'
  | 'aev'
  | 'run'
  | 'awr'
  | 'clk'
  | 'csn'
  | 'cli'
  | 'cls'
  | 'act';

/**
 * Creates an id: prefix, 10 characters of time and 16 of randomness (80 bits). Later ids sort later (to the millisecond), so
 * the primary key is also the order of creation, and inserts go to one end of each index. The text never contains "bulkId" (RFC
 * 7643 §3.1).
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

/** Returns the time in an id, in milliseconds since 1970; null when the text is no id of this service. */
export function timeOfId(id: string): number | null {
  const [, head] = /^[a-z]{3,4}_([0-9a-hjkmnp-tv-z]{10})[0-9a-hjkmnp-tv-z]{16}$/.exec(id) ?? [];
  if (head === undefined) return null;
  let time = 0;
  for (const letter of head) time = time * 32 + ALPHABET.indexOf(letter);
  return time;
}
