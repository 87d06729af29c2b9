/** What an entry of a map, an object or an array costs beside its content, in bytes; measured on V8, rounded up. */
const OVERHEAD = 48;
/** Below this depth nothing is weighed: what is kept in caches here is not nested as deep. */
const MAX_DEPTH = 12;

/**
 * Estimates how much memory a value takes, in bytes, so that caches can be bounded by bytes and not by rows. Two bytes
 * are counted for each character, since one character outside of Latin-1 makes V8 use two for the whole text.
 */
export function byteSize(value: unknown, depth = 0): number {
  if (typeof value === 'string') return OVERHEAD + 2 * value.length;
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return 16;
  if (ArrayBuffer.isView(value)) return OVERHEAD + value.byteLength;
  let bytes = OVERHEAD;
  if (value instanceof Map) {
    for (const [key, one] of value) bytes += OVERHEAD + byteSize(key, depth + 1) + byteSize(one, depth + 1);
  } else if (value instanceof Set || Array.isArray(value)) {
    for (const one of value) bytes += 8 + byteSize(one, depth + 1);
  } else {
    // The names of properties are shared by all objects of a shape, except for those that callers choose.
    for (const [key, one] of Object.entries(value)) bytes += 2 * key.length + 8 + byteSize(one, depth + 1);
  }
  return bytes;
}
