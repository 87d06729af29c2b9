import { createHash } from 'node:crypto';

/** What the first line of a chain is sealed onto. */
export const CHAIN_START: Buffer = Buffer.alloc(32);

/** A value as JSON with its keys in order, so that the same value is always the same text. */
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

/** The hash of a line: over the one before and over all that the line says. */
export function chainHash(previous: Buffer, input: string): Buffer {
  return createHash('sha256').update(previous).update(input, 'utf8').digest();
}
