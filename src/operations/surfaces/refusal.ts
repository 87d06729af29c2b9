import { HttpException, Injectable } from '@nestjs/common';
import { SealError } from '../../base/crypto/seal.js';
import { troubleIn } from '../../base/database/database-health.js';
import { codeOf } from '../../base/database/database.errors.js';
import { DomainError, Unavailable, type ErrorKind } from '../../base/errors/domain-error.js';
import { Logger } from '../../base/log/logger.js';
import { RefusalFace } from '../../directory-sync/routes/bulk/scim-bulk.service.js';
import { ScimRequestError } from '../../protocols/scim/scim.errors.js';
import { type Refusal, scimError } from './problem.js';

// Too many connections, a configuration limit, out of memory.
const SHORT = new Set(['53300', '53400', '53200']);
// Statement, lock and idle-transaction time-outs, deadlocks that outlived their retries.
const SLOW = new Set(['57014', '55P03', '25P03', '40001', '40P01']);
// Text that the database cannot store: U+0000, half a surrogate pair.
const BAD_TEXT = new Set(['22P05', '22021']);
/** Returns 503 for a database that is away or too slow, a wrong value for text that it cannot store, else null. */
function databaseRefusal(error: unknown): Refusal | null {
  const code = codeOf(error);
  if (BAD_TEXT.has(code)) {
    return {
      kind: 'invalid',
      code: 'invalid_fields',
      detail: 'Some text holds characters that cannot be stored, such as U+0000.',
      extras: { scimType: 'invalidValue' },
    };
  }
  const trouble = troubleIn(error);
  if (trouble === 'disk full') {
    const full = busy(
      'The database has no room left on its disk: nothing can be written until the operator makes some.',
      error,
    );
    return { ...full, code: 'storage_full' };
  }
  if (trouble === 'away' || SHORT.has(code)) return busy('The database cannot be reached just now.', error);
  if (SLOW.has(code)) return busy('The database took too long.', error);
  return null;
}

function busy(detail: string, cause: unknown): Refusal {
  return { kind: 'unavailable', code: 'unavailable', detail, extras: { headers: { 'Retry-After': '5' }, cause } };
}

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

/** Translates an error. An error that is no refusal is a bug, and shows nothing outside. */
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
  // Express refuses a path with a broken percent sign with an error of its own.
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

/** The errors of single bulk operations: the same bodies, inside one answer. */
@Injectable()
export class BulkRefusals extends RefusalFace {
  constructor(private readonly logger: Logger) {
    super();
  }

  scimError(thrown: unknown) {
    const refusal = refusalOf(thrown);
    if (refusal.kind === 'internal') this.logger.error('bulk operation failed', { error: thrown });
    return scimError(refusal);
  }
}
