import { DomainError } from '../../../base/errors/domain-error.js';

/** Why an authorization at an ATS fails. The codes are stable; the texts are for the person at the browser. */
const REFUSALS = {
  denied: 'The ATS was not connected: the access was not approved there. Nothing has changed.',
  ats_error:
    'The ATS ended the connecting with an error. Begin again; if it happens again, tell the person who looks after the ATS.',
  state_unknown: 'This answer belongs to no connecting that was begun here. Begin again.',
  state_used: 'This answer was used already. Begin again if the ATS is not connected.',
  state_expired: 'The connecting took longer than ten minutes. Begin again.',
  other_browser: 'The connecting was begun in another browser. Continue there, or begin again here.',
  other_person:
    'The person who began the connecting is not signed in here any more, or does not administer the tenant. Sign in, and begin again.',
  other_provider: 'This answer belongs to another ATS than the one whose connecting was begun.',
  link_over: 'This connect link is not valid: it works once, for three days, and can be revoked. Ask for a new one.',
  code_refused: 'The ATS refused to give the access that was approved. Begin again.',
  other_account:
    'This is another account of the ATS: it has none of the records that came in through the connection. Nothing has changed. Begin again with the account of the connection, or connect this one as a new connection.',
  account_taken:
    'This account of the ATS is connected already, by another connection of this tenant. Nothing has changed. Begin again, and choose to connect that one again.',
  writer_over:
    'The page on which a user is chosen is no longer valid. Choose the user with the command “ats set --as-user”, or through the API.',
  ats_away: 'The ATS gives no answer just now. Nothing has changed; begin again in a moment.',
} as const;

type ConnectRefusal = keyof typeof REFUSALS;

/** A code of an error (RFC 6749 §4.1.2.1 admits more). Longer or other text could address the reader in our name. */
const ATS_CODE = /^[A-Za-z][\w.-]{0,59}$/;

/** Returns the code of an error if it may be shown, else null. */
export function atsCodeOf(text: string | null): string | null {
  return text !== null && ATS_CODE.test(text) ? text : null;
}

export class ConnectRefused extends DomainError {
  readonly kind = 'malformed';
  readonly code: string;

  /** @param atsCode the code of the ATS's error, for the page */
  constructor(
    readonly reason: ConnectRefusal,
    atsCode: string | null = null,
  ) {
    super(atsCode === null ? REFUSALS[reason] : `${REFUSALS[reason]} The code of its error is ${atsCode}.`);
    this.code = `connect_${reason}`;
  }
}
