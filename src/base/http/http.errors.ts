import { DomainError, type ErrorExtras } from '../errors/domain-error.js';
import type { BridgeRequest, BridgeResponse } from './request.js';

/** 413: a body over the limit of its address. */
export class BodyTooLarge extends DomainError {
  readonly kind = 'too-large';
  readonly code = 'body_too_large';
  constructor(limit: number) {
    super(`The body is larger than the ${limit} bytes that this address takes.`);
  }
}

/** 400: a body in pieces that cost more than their bytes; the connection ends. */
export class BodyInCrumbs extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'body_in_crumbs';
  constructor() {
    super('The body comes in pieces of less than 32 bytes. Send it in larger pieces.', {
      headers: { Connection: 'close' },
    });
  }
}

/** 503 with `Retry-After`: the memory for bodies of this process is used up. */
export class TooManyBodies extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'too_many_bodies';
  constructor(detail: string, retryAfterSeconds: number) {
    super(detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** 415: a body of a type that this address does not read. */
export class UnsupportedMediaType extends DomainError {
  readonly kind = 'unsupported-media-type';
  readonly code = 'unsupported_media_type';
  constructor(detail: string, headers?: Record<string, string>) {
    super(detail, headers ? { headers } : {});
  }
}

/** 406: the Accept header allows none of the media types of the address. */
export class NotAcceptable extends DomainError {
  readonly kind = 'not-acceptable';
  readonly code = 'not_acceptable';
  constructor(types: string) {
    super(`This address answers with ${types}.`);
  }
}

/** 405: the address has other methods only. */
export class MethodNotAllowed extends DomainError {
  readonly kind = 'method-not-allowed';
  readonly code = 'method_not_allowed';
  constructor(method: string, allowed: readonly string[]) {
    super(`${method} is not possible here.`, { headers: { Allow: allowed.join(', ') } });
  }
}

/** 429: too many requests of the credential, or too many failed authentications of the address. */
export class TooManyRequests extends DomainError {
  readonly kind = 'too-many-requests';
  readonly code = 'too_many_requests';
  constructor(detail: string, retryAfterSeconds: number, headers: ErrorExtras['headers'] = {}) {
    super(detail, { headers: { ...headers, 'Retry-After': String(retryAfterSeconds) } });
  }
}

/** A form or call that another site has made the browser send. */
export class CrossSiteRequest extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'cross_site_request';
  constructor() {
    super('This request came from another site.');
  }
}

/** A request to the console over plain http from another machine, where its cookie cannot work. */
export class HttpsNeeded extends DomainError {
  readonly kind = 'forbidden';
  readonly code = 'https_needed';
  constructor() {
    super(
      'The console needs https: over plain http from another machine, browsers keep no Secure cookie and do not say from which site a request comes. Set BASE_URL to an https address, or open the console on the machine of the service.',
    );
  }
}

/** A port: answers a request with an error, for middleware that answers refusals itself and can fail at that. */
export abstract class FailureFace {
  abstract answer(thrown: unknown, req: BridgeRequest, res: BridgeResponse): void;
}
