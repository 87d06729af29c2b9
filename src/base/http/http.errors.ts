import { DomainError, type ErrorExtras } from '../errors/domain-error.js';

/** A body over the limit of its address. */
export class BodyTooLarge extends DomainError {
  readonly kind = 'too-large';
  readonly code = 'body_too_large';
  constructor(limit: number) {
    super(`The body is larger than the ${limit} bytes that this address takes.`);
  }
}

/** A body in pieces that cost more than their bytes: 400, and the connection ends. */
export class BodyInCrumbs extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'body_in_crumbs';
  constructor() {
    super('The body comes in pieces of less than 32 bytes. Send it in larger pieces.', {
      headers: { Connection: 'close' },
    });
  }
}

/** More memory is taken by bodies on their way than this process has for them: 503, with `Retry-After`. */
export class TooManyBodies extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'too_many_bodies';
  constructor(detail: string, retryAfterSeconds: number) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** A body in a form that this address does not read. */
export class UnsupportedMediaType extends DomainError {
  readonly kind = 'unsupported-media-type';
  readonly code = 'unsupported_media_type';
  constructor(detail: string, headers?: Record<string, string>) {
    super(detail, headers ? { headers } : {});
  }
}

/** The caller accepts nothing that this address can answer with. */
export class NotAcceptable extends DomainError {
  readonly kind = 'not-acceptable';
  readonly code = 'not_acceptable';
  constructor(types: string) {
    super(`This address answers with ${types}.`);
  }
}

/** The address exists, and knows other methods only. */
export class MethodNotAllowed extends DomainError {
  readonly kind = 'method-not-allowed';
  readonly code = 'method_not_allowed';
  constructor(method: string, allowed: readonly string[]) {
    super(`${method} is not possible here.`, { headers: { Allow: allowed.join(', ') } });
  }
}

/** More requests than the credential, or more failed tries than the address, may make. */
export class TooManyRequests extends DomainError {
  readonly kind = 'too-many-requests';
  readonly code = 'too_many_requests';
  constructor(detail: string, retryAfterSeconds: number, headers: ErrorExtras['headers'] = {}) {
    super(detail, { headers: { ...headers, 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** An Idempotency-Key that came with another request before: 422, so that nobody takes the old answer for theirs. */
export class IdempotencyKeyReused extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'idempotency_key_reused';
  constructor() {
    super('This Idempotency-Key came with another request before.', {
      errors: [{ field: 'Idempotency-Key', message: 'was used with another address or body' }],
    });
  }
}
