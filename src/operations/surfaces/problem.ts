import { STATUS_CODES } from 'node:http';
import type { ErrorKind, FieldError } from '../../base/errors/domain-error.js';
import type { Refusal } from './refusal.types.js';

/** What each kind of refusal is in the API. */
export const API_STATUS: Record<ErrorKind, number> = {
  malformed: 400,
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'not-acceptable': 406,
  conflict: 409,
  gone: 410,
  'no-seat': 409,
  'precondition-failed': 412,
  'too-large': 413,
  'unsupported-media-type': 415,
  'too-many-requests': 429,
  'not-implemented': 501,
  unavailable: 503,
  'no-storage': 507,
};

/** RFC 9457. `code` is stable; `type` is the address under which the code is described. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: string;
  request_id: string;
  errors?: FieldError[];
  [member: string]: unknown;
}

/** The API's face of a refusal. */
export function problemOf(refusal: Refusal, instance: string, requestId: string): Problem {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : API_STATUS[refusal.kind]);
  return {
    ...refusal.extras.members,
    type: `/docs/problems#${refusal.code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: refusal.detail,
    instance,
    code: refusal.code,
    ...(refusal.extras.errors ? { errors: refusal.extras.errors } : {}),
    request_id: requestId,
  };
}
