/** The kind of a refusal; each surface has one status for each kind (see `surfaces/`). */
export type ErrorKind =
  | 'malformed' // the request cannot be read at all
  | 'invalid' // it can be read, and a field of it is wrong
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'gone'
  | 'no-seat' // 409 in the API, 403 in SCIM
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'too-many-requests'
  | 'not-implemented'
  | 'no-storage' // the tenant stores as much as it may: 507
  | 'unavailable';

/** One wrong field of a request, in the caller's spelling of its name. */
export interface FieldError {
  field: string;
  message: string;
}

/** Data of a refusal beside its text; all of it may be shown to the caller. */
export interface ErrorExtras {
  errors?: FieldError[];
  headers?: Record<string, string>;
  members?: Record<string, unknown>;
  scimType?: string;
  cause?: unknown;
}

/**
 * The base of all refusals. The caller sees `detail`; `message` and `cause` are for the log. `code` is stable snake_case and
 * part of the API. A refusal is expected and has no stack: collecting it costs more than the answer.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
  readonly detail: string;
  readonly extras: ErrorExtras;

  constructor(detail: string, extras: ErrorExtras = {}) {
    const frames = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    Error.stackTraceLimit = frames;
    this.name = new.target.name;
    this.detail = detail;
    this.extras = extras;
  }
}

/** Wrong fields of a request: 422 in the API, 400 `invalidValue` in SCIM. */
export class InvalidFields extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_fields';
  constructor(errors: FieldError[], detail = 'Some fields are not valid.') {
    super(detail, { errors });
  }
}

/** A request that is no JSON, no object, or has a malformed query parameter. */
export class MalformedRequest extends DomainError {
  readonly kind = 'malformed';
  readonly code: string;
  constructor(detail: string, code = 'malformed_request', extras: ErrorExtras = {}) {
    super(detail, extras);
    this.code = code;
  }
}

/** A missing record. A record of another tenant gives exactly the same answer. */
export class NotFound extends DomainError {
  readonly kind = 'not-found';
  readonly code = 'not_found';
  constructor(what: string) {
    super(`No such ${what}.`);
  }
}

/** A conflict with the current state. */
export class Conflict extends DomainError {
  readonly kind = 'conflict';
  readonly code: string;
  constructor(code: string, detail: string, extras: ErrorExtras = {}) {
    super(detail, extras);
    this.code = code;
  }
}

/** The database, or another part that the request needs, is not available. */
export class Unavailable extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'unavailable';
  constructor(detail: string, retryAfterSeconds: number, cause?: unknown) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause });
  }
}

/** A failed start whose message explains it to the operator; the stack is not shown. */
export class PlainFailure extends Error {}
