import { SamlRefused } from './saml-refused.js';
import { NS, STATUS_SUCCESS } from './names.js';
import {
  bounded,
  demandFresh,
  demandIssuer,
  MAX_AGE_MS,
  MAX_REQUEST_ID,
  momentOf,
  readNameId,
  type Moments,
} from './parts.rules.js';
import { shown } from './signature-form.rules.js';
import { attributeOf, childrenOf, is, type XmlElement } from './xml-tree.js';

/** A verified logout message. */
export type LogoutMessage =
  | {
      kind: 'request';
      id: string;
      nameId: string;
      nameIdFormat: string | null;
      /** Empty: all sessions of the person (SAML Core §3.7.1). */
      sessionIndexes: string[];
      relayState: string | null;
      /** By the clock of the IdP. */
      issuedAt: Date;
      /** The id to store until this time, so that a second use is refused. */
      once: { id: string; until: Date };
    }
  | { kind: 'response'; inResponseTo: string | null; success: boolean; relayState: string | null };

/** What a logout message is compared with. */
export interface LogoutExpectations extends Moments {
  readonly idpEntityId: string;
  /** Our single logout service for this connection. */
  readonly sloUrl: string;
  readonly relayState: string | null;
}

/**
 * Reads a logout message whose signature was verified (SAML Core §3.7, Profiles §4.4). A signed message has to name its
 * destination (Bindings §3.4.5.2, §3.5.5.2).
 *
 * @param root read from the octets under the signature
 * @throws {SamlRefused} `issuer_mismatch`, `destination_mismatch`, `assertion_expired`, `assertion_not_yet_valid`,
 *   `structure_refused`, `name_id_missing`
 */
export function readLogoutMessage(root: XmlElement, expected: LogoutExpectations): LogoutMessage {
  if (attributeOf(root, 'Version') !== '2.0') throw built('it is not of version 2.0');
  demandIssuer(root, expected.idpEntityId, 'message');
  const destination = attributeOf(root, 'Destination');
  if (destination !== expected.sloUrl) {
    throw new SamlRefused(
      'destination_mismatch',
      `The message is addressed to ${shown(destination ?? '')} and not to ${expected.sloUrl}.`,
    );
  }
  const issued = demandFresh(root, expected);
  const { relayState } = expected;
  if (is(root, NS.protocol, 'LogoutResponse')) {
    const inResponseTo = bounded(attributeOf(root, 'InResponseTo'), 'InResponseTo', MAX_REQUEST_ID);
    return { kind: 'response', inResponseTo, success: isSuccess(root), relayState };
  }
  if (!is(root, NS.protocol, 'LogoutRequest')) throw built('it is not a message of single logout');
  const end = momentOf(root, 'NotOnOrAfter');
  if (end !== null && expected.now.getTime() - expected.skewMs >= end.getTime()) {
    throw new SamlRefused('assertion_expired', `The request was valid until ${end.toISOString()}.`);
  }
  const id = attributeOf(root, 'ID') ?? '';
  if (id === '') throw built('it has no ID');
  const { value, format } = readNameId(root, true);
  return {
    kind: 'request',
    id,
    nameId: value,
    nameIdFormat: format,
    sessionIndexes: childrenOf(root, NS.protocol, 'SessionIndex').map(({ text }) => bounded(text, 'SessionIndex')),
    relayState,
    issuedAt: issued,
    // Older messages are refused for their age.
    once: { id: `${expected.idpEntityId} ${id}`, until: new Date(issued.getTime() + MAX_AGE_MS + expected.skewMs) },
  };
}

function isSuccess(root: XmlElement): boolean {
  const [status] = childrenOf(root, NS.protocol, 'Status');
  const [code] = status === undefined ? [] : childrenOf(status, NS.protocol, 'StatusCode');
  return code !== undefined && attributeOf(code, 'Value') === STATUS_SUCCESS;
}

function built(what: string): SamlRefused {
  return new SamlRefused('structure_refused', `The structure of the message is invalid: ${what}.`);
}
