import {
  isRecord,
  listedRecords,
  requestOf,
  valueAt,
  type Answer,
  finding,
  inJson,
  type DoctorFinding,
} from './finding.js';

/** A value that is not the expected one. */
interface ValueDifference {
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

/** Returns a finding unless an answer has one of the statuses. */
export function statusIs(answer: Answer, ...statuses: readonly number[]): DoctorFinding[] {
  if (statuses.includes(answer.status)) return [];
  const detail = valueAt(answer.body, 'detail');
  const words = `${requestOf(answer)} is answered ${answer.status}, not ${statuses.join(' or ')}`;
  return [finding('status', 'status', `${words}${typeof detail === 'string' ? `: ${detail}` : '.'}`)];
}

/** Returns findings whose messages begin with the case, where the request alone does not show what is wrong with it. */
export function inCase(words: string, findings: readonly DoctorFinding[]): DoctorFinding[] {
  return findings.map((one) => ({ ...one, message: `${words}: ${one.message}` }));
}

/** Returns a finding unless an answer is an error of this status, and has the `scimType` where one is expected. */
export function isErrorOf(answer: Answer, status: number, scimType?: string): DoctorFinding[] {
  const found = statusIs(answer, status);
  if (found.length > 0 || scimType === undefined || valueAt(answer.body, 'scimType') === scimType) return found;
  const words = `The error ${status} to ${requestOf(answer)} has ${inJson(valueAt(answer.body, 'scimType'))} as scimType`;
  return [finding('error_form', 'scimType', `${words}; expected: "${scimType}".`)];
}

/**
 * Returns a finding for each attribute that is not what was sent.
 *
 * @param body the record in the answer, or in a list that it was found in
 */
export function readsBack(answer: Answer, expected: object, body: unknown = answer.body): DoctorFinding[] {
  if (!isRecord(body)) {
    const words = `The answer ${answer.status} to ${requestOf(answer)} has no record`;
    return [finding('value_differs', Object.keys(expected)[0] ?? null, `${words}; expected: ${inJson(expected)}.`)];
  }
  return differences(expected, body).map(({ field, expected: sent, actual }) =>
    finding(
      'value_differs',
      field,
      `The answer to ${requestOf(answer)} has ${inJson(actual)} as ${field}; expected: ${inJson(sent)}.`,
    ),
  );
}

/** Returns findings unless a list has exactly these records. */
export function listHas(answer: Answer, ids: readonly string[]): DoctorFinding[] {
  const found = statusIs(answer, 200);
  if (found.length > 0) return found;
  const total = valueAt(answer.body, 'totalResults');
  const listed = listedRecords(answer).map(({ id }) => String(id));
  const message = (text: string) => `The list of ${requestOf(answer)} ${text}.`;
  if (total !== ids.length) {
    return [
      finding(
        'filter_result',
        'totalResults',
        message(`has ${inJson(total)} as totalResults; expected: ${ids.length}`),
      ),
    ];
  }
  const lacking = ids.filter((id) => !listed.includes(id));
  return lacking.length === 0 ? [] : [finding('filter_result', 'Resources', message(`lacks ${lacking.join(', ')}`))];
}
