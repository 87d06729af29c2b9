/** What sort of refusal an error is; each surface has one status for each kind (see `surfaces/`). */
export type ErrorKind =
  | 'malformed' // the request cannot be read at all
  | 'invalid' // it can be read, and a field of it is wrong
  | 'unauthenticated'
  | 'forbidden'
  | 'not-found'
  | 'method-not-allowed'
  | 'not-acceptable'
  | 'conflict'
  | 'no-seat' // 409 in the API, 403 in SCIM
  | 'precondition-failed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'too-many-requests'
  | 'not-implemented'
  | 'unavailable';

/** One field of a request that is wrong, in the caller's own spelling of its name. */
export interface FieldError {
  field: string;
  message: string;
}

/** What a refusal may carry beside its text; all of it is safe to show to the caller. */
export interface ErrorExtras {
  errors?: FieldError[];
  headers?: Record<string, string>;
  members?: Record<string, unknown>;
  scimType?: string;
  cause?: unknown;
}

/**
 * The one family of refusals. `detail` is shown to the caller, `message` and `cause` are for our logs.
 * `code` is stable snake_case and part of the API.
 */
export abstract class DomainError extends Error {
  abstract readonly kind: ErrorKind;
  abstract readonly code: string;
  readonly detail: string;
  readonly extras: ErrorExtras;

  constructor(detail: string, extras: ErrorExtras = {}) {
    super(detail, extras.cause === undefined ? undefined : { cause: extras.cause });
    this.name = new.target.name;
    this.detail = detail;
    this.extras = extras;
  }
}

/** A request whose fields are wrong: 422 in the API, 400 `invalidValue` in SCIM. */
export class InvalidFields extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_fields';
  constructor(errors: FieldError[], detail = 'Some fields are not valid.') {
    super(detail, { errors });
  }
}

/** A request that is no JSON, no object, or has a query parameter that cannot be read. */
export class MalformedRequest extends DomainError {
  readonly kind = 'malformed';
  readonly code: string;
  constructor(detail: string, code = 'malformed_request', extras: ErrorExtras = {}) {
    super(detail, extras);
    this.code = code;
  }
}

/** What does not exist, and, word for word the same, what belongs to another tenant. */
export class NotFound extends DomainError {
  readonly kind = 'not-found';
  readonly code = 'not_found';
  constructor(what: string) {
    super(`No such ${what}.`);
  }
}

/** A clash with the present state of things. */
export class Conflict extends DomainError {
  readonly kind = 'conflict';
  readonly code: string;
  constructor(code: string, detail: string, extras: ErrorExtras = {}) {
    super(detail, extras);
    this.code = code;
  }
}

/** The database, or another part that a request cannot do without, is not there just now. */
export class Unavailable extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'unavailable';
  constructor(detail: string, retryAfterSeconds: number, cause?: unknown) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) }, cause });
  }
}
