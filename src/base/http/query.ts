import { readInstant } from '../clock.js';
import { InvalidFields, MalformedRequest } from '../errors/domain-error.js';

/** A query as Express parses it; a repeated name is an array. */
export type Query = Record<string, unknown>;

/**
 * Returns one option of a query as text.
 *
 * @throws {MalformedRequest} 400 for a repeated option, since two readers could use different ones
 */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new MalformedRequest(`The query names ${name} more than once.`, 'repeated_parameter');
}

/** @throws {InvalidFields} 422 for another name: an unknown filter must not silently match all */
export function queryOptions<const Name extends string>(
  query: Query,
  names: readonly Name[],
): { [N in Name]?: string } {
  const found: { [N in Name]?: string } = {};
  for (const name of Object.keys(query)) {
    const value = queryText(query, name);
    // The database refuses U+0000; an export would end in the middle.
    if (value?.includes('\0')) throw new InvalidFields([{ field: name, message: 'must not hold a NUL' }]);
    if (!(names as readonly string[]).includes(name)) {
      throw new InvalidFields([{ field: name, message: `is not an option here; known: ${names.join(', ')}` }]);
    }
    found[name as Name] = value;
  }
  return found;
}

/** @throws {InvalidFields} 422 for a word that is not one of `choices` */
export function queryChoice<const Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined || (choices as readonly string[]).includes(value)) return value as Choice | undefined;
  throw new InvalidFields([{ field: name, message: `must be one of: ${choices.join(', ')}` }]);
}

/** @throws {InvalidFields} 422 for a text that is no moment, and for a range that ends before it begins */
export function querySpan(options: { since: string | undefined; until: string | undefined }): {
  since: Date | undefined;
  until: Date | undefined;
} {
  const [since, until] = [queryTime('since', options.since), queryTime('until', options.until)];
  if (since !== undefined && until !== undefined && since > until) {
    throw new InvalidFields([{ field: 'since', message: 'must not be after until' }]);
  }
  return { since, until };
}

/**
 * Returns a moment (RFC 3339 with an offset, or a bare date as the start of that day in UTC).
 *
 * @throws {InvalidFields} 422 for another text
 */
export function queryTime(name: string, value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  // A plus sign that was not encoded arrives as a blank.
  const text = value.replace(/ (\d\d:\d\d)$/, '+$1');
  const time = readInstant(text);
  if (time !== null) return time;
  throw new InvalidFields([
    { field: name, message: 'must be a date such as 2026-10-31, or a time such as 2026-10-31T12:00:00Z' },
  ]);
}
