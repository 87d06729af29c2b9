import { waitingReason } from '../../../../src/integrations/ats/connections/connection.js';

const NOW = new Date('2026-03-03T10:00:00Z');
const LATER = new Date('2026-03-03T10:00:10Z');
const EARLIER = new Date('2026-03-03T09:59:50Z');
const idle = { failures: 0, notBefore: null, leaseUntil: null };

it.each([
  ['queued', { paused: false, state: 'ok' }, undefined],
  ['queued', { paused: false, state: 'ok' }, { ...idle, notBefore: EARLIER, leaseUntil: EARLIER }],
  ['under_way', { paused: false, state: 'ok' }, { ...idle, leaseUntil: LATER }],
  ['ats_away', { paused: false, state: 'degraded' }, { ...idle, failures: 1, notBefore: LATER }],
  ['reconnect_needed', { paused: false, state: 'reconnect_needed' }, { ...idle, failures: 1, notBefore: LATER }],
  ['connection_paused', { paused: true, state: 'ok' }, { ...idle, leaseUntil: LATER }],
  ['disconnected', { paused: false, state: 'disconnected' }, idle],
] as const)('gives %s as the reason to wait when the connection is %j and its work %j', (reason, connection, work) => {
  expect(waitingReason(connection, work, NOW)).toBe(reason);
});
