import { DomainError } from '../../base/errors/domain-error.js';
import type { WebhookAttemptBody } from './webhooks.dto.js';

/** An endpoint is not resumed before a test delivery succeeded. */
export class EndpointNotReady extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'endpoint_not_ready';
  constructor(attempt: WebhookAttemptBody) {
    super(`The endpoint stays as it is: the test event was not taken (${attempt.outcome}).`, { members: { attempt } });
  }
}

export class EndpointUnreadable extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'endpoint_unreadable';
  constructor() {
    super(
      'No key of the service opens the secret of this endpoint. Rotate its secret, or set its headers again; the operator may also put the missing key back.',
    );
  }
}
