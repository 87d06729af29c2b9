import { isRecord } from './answer.js';

/** A value that is not the expected one. */
export interface ValueDifference {
  field: string;
  expected: unknown;
  actual: unknown;
}

/**
 * Compares what was sent with what is read back. Members that were not sent are not looked at: a service adds its own. The order of a
 * multi-valued attribute has no meaning, and absent, null, `""` and `[]` are the same state (RFC 7643 §2.5).
 *
 * @param expected the attributes that were sent, by name
 */
export function differences(expected: unknown, actual: unknown, field = ''): ValueDifference[] {
  if (isEmpty(expected)) return isEmpty(actual) ? [] : [{ field, expected, actual }];
  if (Array.isArray(expected)) return differentElements(expected, actual, field);
  if (isRecord(expected)) {
    const record = isRecord(actual) ? actual : {};
    return Object.entries(expected).flatMap(([name, value]) =>
      differences(value, record[name], field === '' ? name : `${field}${name.includes(':') ? ':' : '.'}${name}`),
    );
  }
  return isSame(expected, actual) ? [] : [{ field, expected, actual }];
}

function differentElements(expected: readonly unknown[], actual: unknown, field: string): ValueDifference[] {
  if (!Array.isArray(actual)) return [{ field, expected, actual }];
  const missing = expected.flatMap((element, place) => {
    if (actual.some((other) => differences(element, other).length === 0)) return [];
    // The element of the same type shows which of its members differs.
    const type = isRecord(element) ? element['type'] : undefined;
    const twin: unknown = actual.find((other) => isRecord(other) && other['type'] === type);
    return twin === undefined
      ? [{ field: `${field}[${place}]`, expected: element, actual: undefined }]
      : differences(element, twin, `${field}[${place}]`);
  });
  if (missing.length > 0 || actual.length === expected.length) return missing;
  return [{ field, expected, actual }];
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

function isSame(expected: unknown, actual: unknown): boolean {
  if (expected === actual) return true;
  if (typeof expected !== 'string' || typeof actual !== 'string') return false;
  // 12:00:00Z and 12:00:00.000Z are one moment.
  return DATE_TIME.test(expected) && DATE_TIME.test(actual) && Date.parse(expected) === Date.parse(actual);
}
