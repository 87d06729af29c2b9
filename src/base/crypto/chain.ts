import { createHash } from 'node:crypto';

export const CHAIN_START: Buffer = Buffer.alloc(32);

/** Returns a value as JSON with sorted keys: equal values have the same text. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}

/** Returns the hash of a line: over the hash of the line before and the content of the line. */
export function chainHash(previous: Buffer, input: string): Buffer {
  return createHash('sha256').update(previous).update(input, 'utf8').digest();
}
