import { zohoRecruitInbound } from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit-inbound.js';
import { NotUnderstood, type InboundReading } from '../../../../../src/integrations/ats/connectors/connector.js';
import { parseLossless } from '../../../../../src/base/json-text.js';

const EVENT = {
  server_time: 1772442930123,
  module: 'Candidates',
  ids: ['480912000001234567'],
  operation: 'insert',
  channel_id: '1000000068001',
  token: 'zoho-test-channel-token-41e7',
};

function requestOf(body: unknown) {
  const raw = Buffer.from(JSON.stringify(body));
  return { raw, body: parseLossless(raw), headers: {}, receivedAt: new Date() };
}
const read = (body: unknown): InboundReading => zohoRecruitInbound.read(requestOf(body));

test.each([
  ['insert', 'Candidates', { kind: 'read_back', of: 'candidate', remoteId: '480912000001234567' }],
  ['update', 'Job_Openings', { kind: 'read_back', of: 'job', remoteId: '480912000001234567' }],
  ['delete', 'Candidates', { kind: 'gone', gone: { kind: 'candidate', remoteId: '480912000001234567' } }],
  ['delete', 'Job_Openings', { kind: 'gone', gone: { kind: 'job', remoteId: '480912000001234567' } }],
  ['insert', 'Interviews', { kind: 'none' }],
])('reads %s of %s', (operation, module, effect) => {
  expect(read({ ...EVENT, operation, module })).toMatchObject({
    name: `${module}.${operation}`,
    occurredAt: new Date(1772442930123),
    effect,
  });
});

test('keeps an id of 18 digits that comes as a number', () => {
  const raw = Buffer.from('{"module":"Candidates","operation":"update","ids":[480912000001234567]}');
  const request = { raw, body: parseLossless(raw), headers: {}, receivedAt: new Date() };
  expect(zohoRecruitInbound.read(request).effect).toMatchObject({ remoteId: '480912000001234567' });
});

test('names an event by channel, module, operation, record and time', () => {
  const keys = [
    EVENT,
    { ...EVENT, operation: 'update' },
    { ...EVENT, ids: ['7'] },
    { ...EVENT, server_time: 1 },
    { ...EVENT, channel_id: '2' },
    { ...EVENT, module: 'Job_Openings' },
  ].map((event) => read(event).dedupeKey);
  expect(new Set(keys).size).toBe(keys.length);
  expect(read({ ...EVENT, affected_fields: ['Email'] }).dedupeKey).toBe(keys[0]);
});

test('counts notifications without a time as one edit each', () => {
  const raw = Buffer.from('{}');
  const keys = ['2026-03-02T09:00:00Z', '2026-03-02T09:10:00Z'].map((at) => {
    const body = { ...EVENT, server_time: undefined };
    return zohoRecruitInbound.read({ raw, body, headers: {}, receivedAt: new Date(at) }).dedupeKey;
  });
  expect(new Set(keys).size).toBe(2);
});

test('tells the form of a workflow rule from a notification', () => {
  const isSetByHand = (body: unknown) => zohoRecruitInbound.isSetByHand!(requestOf(body));
  expect([EVENT, { candidate_id: '1' }, { candidate_id: '1', token: EVENT.token }, []].map(isSetByHand)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('makes one event of each record when a notification names several', () => {
  const parts = zohoRecruitInbound.parts!({ ...EVENT, ids: ['1', '2', '3'] });
  expect(parts).toEqual(['1', '2', '3'].map((id) => ({ ...EVENT, ids: [id] })));
  expect(zohoRecruitInbound.parts!(EVENT)).toEqual([EVENT]);
});

test('leaves a notification to the poll when it names more than 200 records', () => {
  const large = { ...EVENT, ids: Array.from({ length: 201 }, (_, i) => String(i)) };
  expect(zohoRecruitInbound.parts!(large)).toEqual([large]);
  expect(() => read(large)).toThrow(/more than 200 records/);
});

test.each([
  ['no operation', { ...EVENT, operation: undefined }],
  ['an operation that is not documented', { ...EVENT, operation: 'explode' }],
  ['no record', { ...EVENT, ids: [] }],
  ['an id that would lead elsewhere', { ...EVENT, ids: ['../users'] }],
  ['no object', []],
])('does not understand a notification with %s', (_what, event) => {
  expect(() => read(event)).toThrow(NotUnderstood);
});

test('compares the token in the body with each secret', () => {
  const verdict = (body: unknown, ...secrets: string[]) => zohoRecruitInbound.verify(requestOf(body), secrets);
  expect(verdict(EVENT, 'old', EVENT.token)).toBe('valid');
  expect(verdict(EVENT, 'old')).toBe('invalid');
  expect(verdict({ ...EVENT, token: `${EVENT.token} ` }, EVENT.token)).toBe('invalid');
  expect(verdict({ ...EVENT, token: undefined }, EVENT.token)).toBe('absent');
  expect(verdict({ ...EVENT, token: [EVENT.token] }, EVENT.token)).toBe('absent');
});
