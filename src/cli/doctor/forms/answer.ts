/** A JSON object whose members are not known yet. */
export type JsonRecord = Record<string, unknown>;

/** An answer of a SCIM service. */
export interface Answer {
  method: string;
  /** Path and query below the SCIM address, such as `/Users?count=1`. */
  path: string;
  status: number;
  /** By name in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
  /** The parsed text; undefined: there is no text, or the text is no JSON. */
  body: unknown;
}

/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads a value by its path.
 *
 * @param path member names and indexes, such as `['Resources', 0, 'id']`; a text is one member after another, divided by dots
 */
export function valueAt(value: unknown, path: string | readonly (string | number)[]): unknown {
  let found = value;
  for (const step of typeof path === 'string' ? path.split('.') : path) {
    if (Array.isArray(found)) found = found[Number(step)];
    else found = isRecord(found) ? found[step] : undefined;
  }
  return found;
}

/** Returns the records of a list answer; none where the answer is no list. */
export function listedRecords({ body }: Answer): JsonRecord[] {
  const records = valueAt(body, 'Resources');
  return Array.isArray(records) ? records.filter(isRecord) : [];
}

/** Returns the id of the record that an answer has, or undefined. */
export function recordId({ body }: Answer): string | undefined {
  const id = valueAt(body, 'id');
  return typeof id === 'string' && id !== '' ? id : undefined;
}

/** Returns a request as it is named in messages. */
export function requestOf({ method, path }: Answer): string {
  return `${method} ${path}`;
}

/** Returns a text as JSON, or undefined where the text is no JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
