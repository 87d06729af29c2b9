/** The columns of rows that a statement takes as one array each: name, type, and the value of a row. */
export type ArrayColumns<T> = readonly (readonly [name: string, type: string, value: (row: T) => ArrayElement])[];

/** A value of a column; of an infinite time, its text. */
export type ArrayElement = string | number | boolean | Date | null;

/**
 * Returns the table function over the arrays.
 *
 * @param first the number of the first parameter
 */
export function arraysOf<T>(columns: ArrayColumns<T>, first: number): string {
  return `unnest(${columns.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')})`;
}

/**
 * Returns the parameters: one array for each column, as the text that PostgreSQL reads. The general way of node-postgres
 * costs about twice as much, and writes times in the local zone.
 */
export function arrayParameters<T>(columns: ArrayColumns<T>, rows: readonly T[]): string[] {
  return columns.map(([, , value]) => `{${rows.map((row) => elementOf(value(row))).join(',')}}`);
}

function elementOf(value: ArrayElement): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return /["\\]/.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  return String(value);
}
