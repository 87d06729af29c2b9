/** The cost of an entry of a map, object or array beside its content, in bytes; measured on V8, rounded up. */
const OVERHEAD = 48;
/** Nothing below this depth is counted: values in caches are not nested as deep. */
const MAX_DEPTH = 12;

/**
 * Estimates the memory of a value in bytes, so that caches are bounded by bytes and not by rows. Each character counts
 * two bytes: one character outside of Latin-1 makes V8 use two for the whole text.
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
    // Objects of one shape share the names of their properties. Names that callers choose are not shared.
    for (const [key, one] of Object.entries(value)) bytes += 2 * key.length + 8 + byteSize(one, depth + 1);
  }
  return bytes;
}
