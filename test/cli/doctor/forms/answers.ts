import { ERROR_URN, LIST_RESPONSE_URN, USER_URN } from '../../../../src/protocols/scim/urns.js';
import type { Answer } from '../../../../src/cli/doctor/forms/finding.js';

const TIMES = { created: '2026-01-31T12:00:00.000Z', lastModified: '2026-01-31T12:00:00Z' };

/** A user as a right service answers with one. */
export const USER = {
  schemas: [USER_URN],
  id: 'u1',
  userName: 'ann@doctor.example',
  active: true,
  emails: [{ type: 'work', value: 'ann@doctor.example', primary: true }],
  meta: { resourceType: 'User', location: 'https://bridge.example/scim/v2/Users/u1', version: 'W/"1"', ...TIMES },
};

/** A list of one user. */
export const LIST = {
  schemas: [LIST_RESPONSE_URN],
  totalResults: 1,
  startIndex: 1,
  itemsPerPage: 1,
  Resources: [USER],
};

/** Returns the error of a status. */
export function errorOf(status: number, scimType?: string) {
  return {
    schemas: [ERROR_URN],
    status: String(status),
    detail: 'why',
    ...(scimType === undefined ? {} : { scimType }),
  };
}

/** Returns an answer as a right service gives it; `more` replaces parts. */
export function answerOf(body: unknown, more: Partial<Answer> = {}): Answer {
  const headers = { 'content-type': 'application/scim+json; charset=utf-8', ...more.headers };
  const text = body === undefined ? '' : JSON.stringify(body);
  return { method: 'GET', path: '/Users/u1', status: 200, text, body, ...more, headers };
}
