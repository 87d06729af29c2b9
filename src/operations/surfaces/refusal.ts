import { HttpException } from '@nestjs/common';
import { SealError } from '../../base/crypto/seal.js';
import { DomainError, Unavailable, type ErrorKind } from '../../base/errors/domain-error.js';
import { ScimRequestError } from '../../protocols/scim/scim.errors.js';
import { databaseRefusal } from './database-refusal.js';
import type { Refusal } from './refusal.types.js';

const INTERNAL: Refusal = {
  kind: 'internal',
  code: 'internal_error',
  detail: 'Something went wrong on our side. The request id helps us to find it.',
  extras: {},
};

const SECRET_UNREADABLE: Omit<Refusal, 'extras'> = {
  kind: 'unavailable',
  code: 'secret_unreadable',
  detail:
    'A stored secret that this request needs cannot be opened with the encryption keys of this service. ' +
    'The operator puts the missing key back, or the secret is set anew.',
};

/** Translates an error. One that is no refusal is a bug, and shows nothing outside. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof DomainError) {
    return { kind: error.kind, code: error.code, detail: error.detail, extras: error.extras };
  }
  if (error instanceof ScimRequestError) {
    return {
      kind: KIND_OF_STATUS[error.status] ?? 'malformed',
      code: error.scimType ?? CODE_OF_STATUS[error.status] ?? 'refused',
      detail: error.detail,
      extras: error.scimType === undefined ? {} : { scimType: error.scimType },
      status: error.status,
    };
  }
  if (error instanceof HttpException) return fromStatus(error.getStatus(), error);
  if (error instanceof SealError) return { ...SECRET_UNREADABLE, extras: { cause: error } };
  const status = (error as { status?: unknown } | null)?.status;
  // Express refuses what it cannot decode (a broken percent sign in a path) with an error of its own.
  if (error instanceof URIError && status === 400) return fromStatus(400, error);
  return databaseRefusal(error) ?? INTERNAL;
}

function fromStatus(status: number, error: Error): Refusal {
  const kind = KIND_OF_STATUS[status];
  if (kind === undefined)
    return status < 500
      ? { ...INTERNAL, kind: 'malformed', code: 'refused', detail: 'The request was refused.' }
      : INTERNAL;
  if (kind === 'unavailable') {
    const unavailable = new Unavailable('The service is not available just now.', 5, error);
    return { kind, code: unavailable.code, detail: unavailable.detail, extras: unavailable.extras };
  }
  return {
    kind,
    code: CODE_OF_STATUS[status]!,
    detail: DETAIL_OF_STATUS[status] ?? 'The request was refused.',
    extras: {},
  };
}

const KIND_OF_STATUS: Record<number, ErrorKind> = {
  400: 'malformed',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  405: 'method-not-allowed',
  406: 'not-acceptable',
  409: 'conflict',
  412: 'precondition-failed',
  413: 'too-large',
  415: 'unsupported-media-type',
  422: 'invalid',
  429: 'too-many-requests',
  501: 'not-implemented',
  503: 'unavailable',
};

const CODE_OF_STATUS: Record<number, string> = {
  400: 'malformed_request',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  406: 'not_acceptable',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_fields',
  429: 'too_many_requests',
  501: 'not_implemented',
  503: 'unavailable',
};

const DETAIL_OF_STATUS: Record<number, string> = {
  400: 'The request cannot be read.',
  404: 'There is nothing at this address.',
};
