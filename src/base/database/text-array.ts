/** An escape that JSON has, and arrays of PostgreSQL read otherwise. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Returns a list of texts or numbers as a parameter for an array of the database. The driver would write each text apart; JSON
 * writes all of them in one call, and quotes as PostgreSQL does, but for control characters and halves of surrogate pairs.
 */
export function textArray(values: readonly (string | number | null)[]): string {
  const json = JSON.stringify(values);
  return OTHER_ESCAPE.test(json) ? arrayLiteral(values) : `{${json.slice(1, -1)}}`;
}

/** Returns a PostgreSQL array of texts, in which the values stand as the driver would send them. */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(textOf(value)))).join(',')}}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return arrayLiteral(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

function quoted(text: string): string {
  // Most values are ids and words, where a search for the two characters costs a third of what follows.
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`;
  const json = JSON.stringify(text);
  return OTHER_ESCAPE.test(json) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : json;
}
