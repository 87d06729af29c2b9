import { isObject, type JsonObject } from '../dialects/normalise.js';

const PREFIX = 'bulkId:';

/**
 * The bulkIds that a text refers to (RFC 7644 §3.7.2): all of it (`bulkId:x`), the end of a reference
 * (`/Users/bulkId:x`) or a string in a PATCH path (`members[value eq "bulkId:x"]`).
 *
 * Only these places count: a display name may well hold "bulkId:" somewhere.
 */
function* placesIn(text: string): Generator<{ start: number; end: number; id: string }> {
  if (!text.includes(PREFIX)) return;
  if (text.startsWith(PREFIX)) {
    yield { start: 0, end: text.length, id: text.slice(PREFIX.length) };
    return;
  }
  for (let at = text.indexOf(PREFIX); at !== -1; at = text.indexOf(PREFIX, at + 1)) {
    const before = text.charAt(at - 1);
    if (before !== '/' && before !== '"') continue;
    const end = before === '/' ? text.length : text.indexOf('"', at);
    if (end === -1) continue;
    yield { start: at, end, id: text.slice(at + PREFIX.length, end) };
    if (before === '/') return;
  }
}

/** The bulkIds that any text in the data refers to. */
export function bulkReferences(data: unknown): Set<string> {
  const found = new Set<string>();
  collect(data, found);
  return found;
}

/**
 * The data with references replaced by real ids. What `ids` does not know is left as it is.
 *
 * @returns the same object when there is nothing to replace
 */
export function substituteBulkIds<T>(data: T, ids: ReadonlyMap<string, string>): T {
  return mapTexts(data, (text) => substituted(text, ids)) as T;
}

/**
 * The data without the references in `unresolved`, for a resource that has to be created before what it refers to.
 * An object whose `value` is such a reference goes as a whole: what else it says is about the missing resource.
 */
export function withoutReferences<T>(data: T, unresolved: ReadonlySet<string>): T {
  if (unresolved.size === 0) return data;
  return mapTexts(data, (text) => {
    for (const { id } of placesIn(text)) if (unresolved.has(id)) return undefined;
    return text;
  }) as T;
}

function collect(data: unknown, found: Set<string>): void {
  if (typeof data === 'string') {
    for (const { id } of placesIn(data)) found.add(id);
  } else if (Array.isArray(data)) {
    for (const item of data) collect(item, found);
  } else if (isObject(data)) {
    for (const key of Object.keys(data)) collect(data[key], found);
  }
}

function substituted(text: string, ids: ReadonlyMap<string, string>): string {
  let result = '';
  let done = 0;
  for (const { start, end, id } of placesIn(text)) {
    const real = ids.get(id);
    if (real === undefined) continue;
    result += text.slice(done, start) + real;
    done = end;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Rebuilds what holds a text that `change` changes; undefined takes the text away. */
function mapTexts(data: unknown, change: (text: string) => string | undefined): unknown {
  if (typeof data === 'string') return change(data);
  if (Array.isArray(data)) return mapArray(data, change);
  return isObject(data) ? mapObject(data, change) : data;
}

function mapArray(data: unknown[], change: (text: string) => string | undefined): unknown[] {
  const mapped = data.map((item) => mapTexts(item, change));
  if (mapped.every((item, i) => item === data[i])) return data;
  return mapped.filter((item) => item !== undefined);
}

function mapObject(data: JsonObject, change: (text: string) => string | undefined): unknown {
  const entries = Object.entries(data).map(([key, value]) => [key, mapTexts(value, change)] as const);
  if (entries.every(([key, value]) => value === data[key])) return data;
  const gone = entries.some(([key, value]) => value === undefined && key.toLowerCase() === 'value');
  if (gone) return undefined;
  // fromEntries defines its members, so that a key such as __proto__ stays one and is refused later.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
