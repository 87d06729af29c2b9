import { DomainError } from '../../../base/errors/domain-error.js';
import type { AtsConnection } from './connection.js';

/** Another connection of the tenant has the marker: external ids would not tell them apart. */
export class MarkerTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'marker_taken';
  constructor(id: string) {
    super('Another connection of this tenant has the marker.', { members: { id } });
  }
}

/** Two tokens are live: one has to be removed first. */
export class TooManyTokens extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'too_many_tokens';
  constructor() {
    super('A connection has at most two live tokens. Remove the older one first.');
  }
}

export class WrongAtsState extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'wrong_ats_state';
}

export class OtherAtsAccount extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'other_ats_account';
  constructor(title: string) {
    super(
      `The account of ${title} that the credential belongs to has none of the records that this connection has read. ` +
        'Connect that account as a connection of its own.',
    );
  }
}

/** Another connection of the tenant is of the same account of the ATS: each record would come in twice. */
export class AtsAccountTaken extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'ats_account_taken';
  constructor(title: string, id: string) {
    super(`Another connection of this tenant is of the same account of ${title}. Change that connection.`, {
      members: { id },
    });
  }
}

export class NoUsersKnown extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'ats_gives_no_answer';
  constructor(said: string) {
    super(`${said} Its users cannot be listed now.`);
  }
}

/** The ATS gives no answer, so the account of the new credential is unknown. */
export class AccountNotKnown extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'ats_gives_no_answer';
  constructor(said: string) {
    super(
      `${said} Its answer is needed to see that the credential is of the same account. Nothing has changed; try again.`,
    );
  }
}

/** A connection can be used again: it has another credential or writer, or is no longer paused. */
export class AtsConnectionReady {
  constructor(readonly connection: AtsConnection) {}
}
