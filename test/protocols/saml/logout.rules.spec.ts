import { readLogoutMessage } from '../../../src/protocols/saml/logout.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { SP } from './support/idp.js';
import { logoutXml, type LogoutParts } from './support/logout.js';
import { reasonOf } from './support/reason.js';

const now = new Date('2030-06-01T12:00:00.000Z');
const at = (seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();
const expected = { idpEntityId: 'https://idp.example.com/saml', sloUrl: SP.slo, relayState: 'r', now, skewMs: 60_000 };
const read = (kind: 'LogoutRequest' | 'LogoutResponse', parts: LogoutParts = {}) =>
  readLogoutMessage(scanXml(logoutXml(kind, { issueInstant: now.toISOString(), ...parts })), expected);

it('reads a request', () => {
  expect(read('LogoutRequest', { sessionIndexes: ['1', '2'] })).toEqual({
    kind: 'request',
    id: '_logout-1',
    nameId: 'ada-1815',
    nameIdFormat: null,
    sessionIndexes: ['1', '2'],
    relayState: 'r',
    issuedAt: now,
    once: { id: 'https://idp.example.com/saml _logout-1', until: new Date(now.getTime() + 660_000) },
  });
});

it.each([
  ['Success', true],
  ['Responder', false],
])('reads a response with the status %s', (status, success) => {
  const parts = { status: `urn:oasis:names:tc:SAML:2.0:status:${status}` };
  expect(read('LogoutResponse', parts)).toEqual({
    kind: 'response',
    inResponseTo: '_ours-1',
    success,
    relayState: 'r',
  });
});

it.each<[string, LogoutParts, string]>([
  ['another version', { version: '1.1' }, 'structure_refused'],
  ['another issuer', { issuer: 'urn:other' }, 'issuer_mismatch'],
  ['another destination', { destination: 'https://evil.example' }, 'destination_mismatch'],
  ['no destination', { destination: null }, 'destination_mismatch'],
  ['an old message', { issueInstant: at(-661) }, 'assertion_expired'],
  ['a message of the future', { issueInstant: at(61) }, 'assertion_not_yet_valid'],
  ['a request that has ended', { notOnOrAfter: at(-60) }, 'assertion_expired'],
  ['no name', { nameIdXml: '' }, 'name_id_missing'],
  ['no ID', { id: '' }, 'structure_refused'],
])('refuses %s', (_what, parts, reason) => {
  expect(reasonOf(() => read('LogoutRequest', parts))).toBe(reason);
});
