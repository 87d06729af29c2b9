import { createHash } from 'node:crypto';
import { dayHash, dayText, headText, type DayFields } from '../../../src/tenancy/ledger/head.rules.js';

const DAY: DayFields = {
  tenantId: 'ten_1',
  chain: 'seats',
  sequence: 3,
  count: 2,
  hash: 'ab',
  day: '2026-01-31',
  previous: '00',
  closed: true,
};

it('writes the live head with its purpose and sorted keys', () => {
  expect(headText({ tenantId: 'ten_1', chain: 'audit', sequence: 3, hash: 'ab' })).toBe(
    '{"chain":"audit","hash":"ab","sequence":3,"tenant_id":"ten_1","type":"talent-bridge.chain-head.v1"}',
  );
});

it('writes the head of a day with its purpose and sorted keys', () => {
  expect(dayText(DAY)).toBe(
    '{"chain":"seats","closed":true,"count":2,"day":"2026-01-31","hash":"ab","previous":"00","sequence":3,' +
      '"tenant_id":"ten_1","type":"talent-bridge.chain-day.v1"}',
  );
});

it('hashes the text of the day', () => {
  expect(dayHash(DAY)).toBe(createHash('sha256').update(dayText(DAY), 'utf8').digest('hex'));
});

it.each<[string, Partial<DayFields>]>([
  ['day', { day: '2026-02-01' }],
  ['state', { closed: false }],
  ['place', { sequence: 4 }],
  ['count', { count: 3 }],
  ['hash', { hash: 'cd' }],
  ['day before', { previous: '11' }],
  ['chain', { chain: 'audit' }],
  ['tenant', { tenantId: 'ten_2' }],
])('changes its hash with the %s', (_, change) => {
  expect(dayHash({ ...DAY, ...change })).not.toBe(dayHash(DAY));
});
