/** The columns of rows that a statement takes as one array each: name, type, and the value of a row. */
export type ArrayColumns<T> = readonly (readonly [name: string, type: string, value: (row: T) => unknown])[];

/**
 * Returns the table function over the arrays.
 *
 * @param first the number of the first parameter
 */
export function arraysOf<T>(columns: ArrayColumns<T>, first: number): string {
  return `unnest(${columns.map(([, type], i) => `$${first + i}::${type}[]`).join(', ')})`;
}

/** Returns the parameters: one array for each column. */
export function valuesOf<T>(columns: ArrayColumns<T>, rows: readonly T[]): unknown[] {
  return columns.map(([, , value]) => rows.map(value));
}
