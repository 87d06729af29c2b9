import { ERROR_URN, LIST_RESPONSE_URN } from '../../../protocols/scim/urns.js';
import {
  isRecord,
  requestOf,
  valueAt,
  type Answer,
  type JsonRecord,
  finding,
  inJson,
  type DoctorFinding,
} from './finding.js';
import { resourceFindings, type RecordType } from './schema.rules.js';

/** The values of `scimType` (RFC 7644 §3.12, RFC 9865 §2.1). */
const SCIM_TYPES: readonly unknown[] = [
  'invalidFilter', 'tooMany', 'uniqueness', 'mutability', 'invalidSyntax', 'invalidPath', 'noTarget', 'invalidValue', 'invalidVers',
  'sensitive', 'invalidCursor', 'expiredCursor', 'invalidCount',
]; // prettier-ignore

/** Checks the form of an answer: what RFC 7644 demands of each answer, whichever request it is for. */
export function formFindings(answer: Answer): DoctorFinding[] {
  const { status, text, body } = answer;
  const request = requestOf(answer);
  if (status >= 300 && status < 400 && status !== 304) {
    const target = answer.headers['location'] ?? 'an address that is not named';
    return [finding('redirected', 'Location', `${request} is redirected (${status}) to ${target}.`)];
  }
  const found = headerFindings(answer);
  if (text === '') {
    if (status >= 400) found.push(finding('error_form', null, `${request} is answered ${status} without a body.`));
    return found;
  }
  const media = (answer.headers['content-type'] ?? 'no media type').split(';')[0]!.trim().toLowerCase();
  if (media !== 'application/scim+json') {
    found.push(finding('media_type', 'Content-Type', `${request} is answered ${status} as ${media}.`));
  }
  if (!isRecord(body))
    return [
      ...found,
      finding('not_json', null, `${request} is answered ${status} with a text that is no JSON object.`),
    ];
  if (status >= 400) return [...found, ...errorFindings(answer, body)];
  return [...found, ...documentFindings(answer, body)];
}

function headerFindings(answer: Answer): DoctorFinding[] {
  const { status, headers } = answer;
  const request = requestOf(answer);
  const found: DoctorFinding[] = [];
  if (status === 401 && headers['www-authenticate'] === undefined) {
    found.push(
      finding(
        'error_form',
        'WWW-Authenticate',
        `${request} is answered 401 without WWW-Authenticate (RFC 9110 §15.5.2).`,
      ),
    );
  }
  if (status === 429 && headers['retry-after'] === undefined) {
    found.push(finding('error_form', 'Retry-After', `${request} is answered 429 without Retry-After.`));
  }
  return found;
}

function errorFindings(answer: Answer, body: JsonRecord): DoctorFinding[] {
  const { status } = answer;
  const wrong = (field: string, expected: string) =>
    finding(
      'error_form',
      field,
      `The error ${status} to ${requestOf(answer)} has ${inJson(body[field])} as ${field}; expected: ${expected}.`,
    );
  const found: DoctorFinding[] = [];
  const { schemas, scimType, detail } = body;
  if (!Array.isArray(schemas) || !schemas.includes(ERROR_URN)) found.push(wrong('schemas', `["${ERROR_URN}"]`));
  if (body['status'] !== String(status)) found.push(wrong('status', `the text "${status}"`));
  if (scimType !== undefined && !SCIM_TYPES.includes(scimType))
    found.push(wrong('scimType', 'a value of RFC 7644 table 9'));
  if (detail !== undefined && typeof detail !== 'string') found.push(wrong('detail', 'a text'));
  return found;
}

/** The form of a list, or of a single user or group. Documents of the discovery have checks of their own. */
function documentFindings(answer: Answer, body: JsonRecord): DoctorFinding[] {
  const { path, method, headers, status } = answer;
  const [place = '', query = ''] = path.split('?');
  const isPartial = /(?:^|&)(?:attributes|excludedAttributes)=/.test(query);
  const [, collection, id] = /^\/(Users|Groups)(?:\/([^/]+))?$/.exec(place) ?? [];
  const type: RecordType | null = collection === 'Users' ? 'User' : collection === 'Groups' ? 'Group' : null;
  if (method === 'GET' && (/^\/(?:Schemas|ResourceTypes)$/.test(place) || (type !== null && id === undefined))) {
    const records = valueAt(body, 'Resources');
    const own = type === null || !Array.isArray(records) ? [] : records.filter(isRecord);
    return [
      ...listFindings(answer, body),
      ...own.flatMap((record) => resourceFindings(record, type!, requestOf(answer), isPartial)),
    ];
  }
  if (type === null) return [];
  const found = resourceFindings(body, type, requestOf(answer), isPartial);
  const version = valueAt(body, 'meta.version');
  const etag = headers['etag'];
  if (!isPartial && etag !== undefined && version !== undefined && etag !== version) {
    found.push(
      finding(
        'etag_wrong',
        'ETag',
        `The answer to ${requestOf(answer)} has the ETag ${etag} and meta.version ${inJson(version)}.`,
      ),
    );
  }
  if (method === 'POST' && status === 201 && headers['location'] !== valueAt(body, 'meta.location')) {
    const words = `The answer to ${requestOf(answer)} has the Location ${headers['location'] ?? '(none)'}`;
    found.push(
      finding('resource_form', 'Location', `${words} and meta.location ${inJson(valueAt(body, 'meta.location'))}.`),
    );
  }
  return found;
}

function listFindings(answer: Answer, body: JsonRecord): DoctorFinding[] {
  const wrong = (field: string, expected: string) =>
    finding(
      'list_form',
      field,
      `The list of ${requestOf(answer)} has ${inJson(body[field])} as ${field}; expected: ${expected}.`,
    );
  const found: DoctorFinding[] = [];
  const { schemas, totalResults: total, Resources: records, startIndex, itemsPerPage } = body;
  if (!Array.isArray(schemas) || !schemas.includes(LIST_RESPONSE_URN))
    found.push(wrong('schemas', `["${LIST_RESPONSE_URN}"]`));
  if (!Number.isInteger(total)) found.push(wrong('totalResults', 'an integer'));
  const length = Array.isArray(records) ? records.length : 0;
  if (records !== undefined && !Array.isArray(records)) found.push(wrong('Resources', 'a list'));
  if (typeof total === 'number' && total < length)
    found.push(wrong('totalResults', `at least ${length}, the length of Resources`));
  if (startIndex !== undefined && !Number.isInteger(startIndex)) found.push(wrong('startIndex', 'an integer'));
  if (itemsPerPage !== undefined && itemsPerPage !== length)
    found.push(wrong('itemsPerPage', `${length}, the length of Resources`));
  return found;
}
