import { DomainError } from '../../base/errors/domain-error.js';

/** The link is used, expired or unknown: which of these, the answer does not tell. */
export class ConsoleLinkOver extends DomainError {
  readonly kind = 'malformed';
  readonly code = 'console_link_over';
  constructor() {
    super(
      'This link is not valid. A link of the console works once, for ten minutes. Ask the operator for a new one, or sign in.',
    );
  }
}

/** The act belongs to the operator's session of the console, and the request came with the operator's token. */
export class NoConsoleSession extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'no_console_session';
  constructor() {
    super(
      'A tenant is entered by a session of the console. With the operator token, make a link with the role auditor for the tenant.',
    );
  }
}
