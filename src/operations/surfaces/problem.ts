import { STATUS_CODES } from 'node:http';
import type { ErrorExtras, ErrorKind, FieldError } from '../../base/errors/domain-error.js';
import { scimErrorBody, type ScimErrorBody, type ScimType } from '../../protocols/scim/scim.errors.js';

/** A failure, before a surface writes it as a SCIM error, a problem or a page. */
export interface Refusal {
  kind: ErrorKind | 'internal';
  code: string;
  detail: string;
  extras: ErrorExtras;
  status?: number;
}

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

/** The status of each kind of refusal in SCIM (RFC 7644 §3.12), where it differs from the API. */
export const SCIM_STATUS: Record<ErrorKind, number> = { ...API_STATUS, invalid: 400, 'no-seat': 403 };

const TYPE_OF_KIND: Partial<Record<Refusal['kind'], ScimType>> = {
  malformed: 'invalidSyntax',
  invalid: 'invalidValue',
};

/** The field messages go into the detail: the RFC has no other place for them. */
export function scimError(refusal: Refusal): { status: number; body: ScimErrorBody } {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : SCIM_STATUS[refusal.kind]);
  // A refusal of the protocol itself has its type, or none.
  const type = refusal.extras.scimType ?? (refusal.status === undefined ? TYPE_OF_KIND[refusal.kind] : undefined);
  const fields = (refusal.extras.errors ?? []).map(({ field, message }) => ` ${field} ${message}.`).join('');
  return { status, body: scimErrorBody(status, refusal.detail + fields, type as ScimType | undefined) };
}
