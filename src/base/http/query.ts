import { readInstant } from '../instant.js';
import { InvalidFields, MalformedRequest } from '../errors/domain-error.js';

/** A query as Express gives it; a repeated name is an array. */
export type Query = Record<string, unknown>;

/** One option of a query as text; 400 when it came twice, since two readers could take different ones. */
export function queryText(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  throw new MalformedRequest(`The query names ${name} more than once.`, 'repeated_parameter');
}

/** The named options of a query. Another name is 422: a filter that we do not know must not silently match all. */
export function queryOptions<const Name extends string>(
  query: Query,
  names: readonly Name[],
): { [N in Name]?: string } {
  const found: { [N in Name]?: string } = {};
  for (const name of Object.keys(query)) {
    const value = queryText(query, name);
    // The database takes none; an export would break off in the middle.
    if (value?.includes('\0')) throw new InvalidFields([{ field: name, message: 'must not hold a NUL' }]);
    if (!(names as readonly string[]).includes(name)) {
      throw new InvalidFields([{ field: name, message: `is not an option here; known: ${names.join(', ')}` }]);
    }
    found[name as Name] = value;
  }
  return found;
}

/** An option that is one of a few words; 422 otherwise. */
export function queryChoice<const Choice extends string>(
  name: string,
  value: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  if (value === undefined || (choices as readonly string[]).includes(value)) return value as Choice | undefined;
  throw new InvalidFields([{ field: name, message: `must be one of: ${choices.join(', ')}` }]);
}

/** A moment in time (RFC 3339 with an offset, or a bare date as the start of that day in UTC); 422 otherwise. */
export function queryTime(name: string, value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  // A plus sign that was not encoded arrives as a blank.
  const text = value.replace(/ (\d\d:\d\d)$/, '+$1');
  const time = readInstant(text);
  if (time !== null) return time;
  throw new InvalidFields([{ field: name, message: 'must be a time such as 2026-01-31T12:00:00Z' }]);
}
