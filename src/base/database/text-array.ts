/** An escape that JSON has, and arrays of PostgreSQL read otherwise. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Returns a list of texts as a parameter for an array of the database. The driver would write each text by itself; JSON
 * writes all of them in one call, and quotes as PostgreSQL does, but for control characters and halves of surrogate pairs.
 */
export function textArray(values: readonly (string | null)[]): string | readonly (string | null)[] {
  const json = JSON.stringify(values);
  return OTHER_ESCAPE.test(json) ? values : `{${json.slice(1, -1)}}`;
}
