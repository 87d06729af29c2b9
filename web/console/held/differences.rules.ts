/** A field whose written value is not the one in force. */
export interface Difference {
  field: string;
  written: string;
  inForce: string;
}

const shown = (value: unknown): string => (typeof value === 'string' && value !== '' ? value : '–');

/** Returns the fields in which what was written differs from what is in force. */
export function differences(written: object, inForce: object): Difference[] {
  const there = inForce as Record<string, unknown>;
  return Object.entries(written)
    .map(([field, value]) => ({ field, written: shown(value), inForce: shown(there[field]) }))
    .filter((one) => one.written !== one.inForce);
}
