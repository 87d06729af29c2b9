import { isObject, type JsonObject } from '../dialects/normalise.js';
import { RESOURCE_TYPES } from '../schema/resource-types.js';

const PREFIX = 'bulkId:';

/** The attributes that refer to resources, in lower case: `members`, `manager`, `groups`. */
const REFERENCES: ReadonlySet<string> = new Set(
  RESOURCE_TYPES.flatMap((type) => [type.schema, ...type.extensions.map((each) => each.schema)])
    .flatMap((schema) => schema.attributes)
    .filter((attribute) => attribute.subByName.has('$ref'))
    .map((attribute) => attribute.name.toLowerCase()),
);

/**
 * The meaning of a text in the data. A bulkId counts only where a reference is expected (RFC 7644 §3.7.2): a title can
 * be "bulkId:7".
 */
type Place =
  /** In an attribute that refers to resources, or alone: the text is a reference. */
  | 'reference'
  /** In a PATCH operation on such an attribute: `path` and `value` are references. */
  | 'operation'
  /** Elsewhere: the text is data. */
  | 'data';

/** Returns the meaning of a member of an object. */
function placeOf(place: Place, object: JsonObject, key: string): Place {
  const name = key.toLowerCase();
  switch (place) {
    case 'reference':
      return name === 'value' || name === '$ref' ? 'reference' : 'data';
    case 'operation':
      if (name !== 'path' && name !== 'value') return 'data';
      return refers(textOf(object, 'path')) ? 'reference' : 'data';
    case 'data':
      if (name === 'operations') return 'operation';
      return refers(key) ? 'reference' : 'data';
  }
}

/**
 * Returns whether a path, or a key that is a path, names an attribute that refers: `members[value eq "x"]`,
 * `urn:…:manager`.
 */
function refers(path: string): boolean {
  const end = path.indexOf('[');
  const plain = end === -1 ? path : path.slice(0, end);
  const name = plain.slice(plain.lastIndexOf(':') + 1);
  const dot = name.indexOf('.');
  return REFERENCES.has((dot === -1 ? name : name.slice(0, dot)).trim().toLowerCase());
}

function textOf(object: JsonObject, name: string): string {
  const key = Object.keys(object).find((each) => each.toLowerCase() === name);
  const value = key === undefined ? undefined : object[key];
  return typeof value === 'string' ? value : '';
}

/**
 * Finds the bulkIds in a text that is a reference: the whole text (`bulkId:x`), the end of an address
 * (`/Users/bulkId:x`) or a string in a PATCH path (`members[value eq "bulkId:x"]`).
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

/**
 * Returns the bulkIds that an operation refers to.
 *
 * @param data the data of an operation, or its path
 */
export function bulkReferences(data: unknown): Set<string> {
  const found = new Set<string>();
  collect(data, rootOf(data), found);
  return found;
}

/**
 * Replaces references by real ids. References that `ids` does not contain stay.
 *
 * @returns the same object when there is nothing to replace
 */
export function substituteBulkIds<T>(data: T, ids: ReadonlyMap<string, string>): T {
  return mapTexts(data, rootOf(data), (text) => substituted(text, ids)) as T;
}

/**
 * Removes the references in `unresolved` from the data of a resource that is created before their targets. An object
 * whose `value` is such a reference is removed as a whole: its other members describe the missing resource.
 */
export function withoutReferences<T>(data: T, unresolved: ReadonlySet<string>): T {
  if (unresolved.size === 0) return data;
  return mapTexts(data, rootOf(data), (text) => {
    for (const { id } of placesIn(text)) if (unresolved.has(id)) return undefined;
    return text;
  }) as T;
}

/** Returns the meaning of the root: a text is the path of an operation, an object its data. */
function rootOf(data: unknown): Place {
  return isObject(data) ? 'data' : 'reference';
}

function collect(data: unknown, place: Place, found: Set<string>): void {
  if (typeof data === 'string') {
    if (place === 'reference') for (const { id } of placesIn(data)) found.add(id);
  } else if (Array.isArray(data)) {
    for (const item of data) collect(item, place, found);
  } else if (isObject(data)) {
    for (const key of Object.keys(data)) collect(data[key], placeOf(place, data, key), found);
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

/** Returns the data with `change` applied to references; undefined removes the text. */
function mapTexts(data: unknown, place: Place, change: Change): unknown {
  if (typeof data === 'string') return place === 'reference' ? change(data) : data;
  if (Array.isArray(data)) return mapArray(data, place, change);
  return isObject(data) ? mapObject(data, place, change) : data;
}

type Change = (text: string) => string | undefined;

function mapArray(data: unknown[], place: Place, change: Change): unknown[] {
  const mapped = data.map((item) => mapTexts(item, place, change));
  if (mapped.every((item, i) => item === data[i])) return data;
  return mapped.filter((item) => item !== undefined);
}

function mapObject(data: JsonObject, place: Place, change: Change): unknown {
  const entries = Object.entries(data).map(([key, value]) => {
    return [key, mapTexts(value, placeOf(place, data, key), change)] as const;
  });
  if (entries.every(([key, value]) => value === data[key])) return data;
  const gone = entries.some(([key, value]) => value === undefined && key.toLowerCase() === 'value');
  if (gone) return undefined;
  // fromEntries defines own members, so a key such as __proto__ stays a key and is refused later.
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
