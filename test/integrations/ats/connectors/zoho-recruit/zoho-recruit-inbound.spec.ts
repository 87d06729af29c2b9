import { parseLossless } from '../../../../../src/base/json-text.js';
import { NotUnderstood, type InboundReading } from '../../../../../src/integrations/ats/connectors/connector.js';
import {
  zohoRecruitInbound,
  candidateOfForm,
} from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit-inbound.js';

describe('zoho recruit inbound', () => {
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
});

describe('zoho recruit form', () => {
  const FORM = { candidate_id: '480912000001234567', first_name: 'Zoë', last_name: 'Müller', email: 'zoe@example.com' };

  test('reads the fields of the documentation', () => {
    const more = { job_opening_id: '480912000000987654', job_title: 'Backend Engineer', ats_priority: 'high' };
    expect(
      candidateOfForm({ ...FORM, ...more, status: 'Interview-Scheduled', modified_time: '2026-03-02T10:15:28+01:00' }),
    ).toEqual({
      remoteId: '480912000001234567',
      firstName: 'Zoë',
      lastName: 'Müller',
      email: 'zoe@example.com',
      jobRemoteId: '480912000000987654',
      job: { remoteId: '480912000000987654', title: 'Backend Engineer', status: 'open', changedAt: new Date(0) },
      status: 'active',
      stage: { id: 'Interview-Scheduled', name: 'Interview-Scheduled' },
      metadata: { job_opening_id: '480912000000987654', ats_priority: 'high' },
      changedAt: new Date('2026-03-02T09:15:28Z'),
    });
  });

  test('reads the same fields under the names that Zoho offers', () => {
    const names = { 'Candidates Id': FORM.candidate_id, 'First Name': 'Zoë', Last_Name: 'Müller', EMAIL: FORM.email };
    expect(candidateOfForm(names)).toEqual(candidateOfForm(FORM));
  });

  test('leaves out the opening, the state and the time when the form has none', () => {
    expect(candidateOfForm(FORM)).toEqual({
      remoteId: '480912000001234567',
      firstName: 'Zoë',
      lastName: 'Müller',
      email: 'zoe@example.com',
      metadata: {},
      changedAt: null,
    });
  });

  test('splits a full name when the form has no other', () => {
    const { first_name: _first, last_name: _last, ...rest } = FORM;
    expect(candidateOfForm({ ...rest, name: 'Ana de la Cruz' })).toMatchObject({
      firstName: 'Ana',
      lastName: 'de la Cruz',
    });
    expect(candidateOfForm({ ...rest, last_name: 'Teller' })).toMatchObject({ firstName: 'Teller', lastName: '' });
  });

  test.each([
    ['no id', {}],
    ['the number for people in place of the id', { candidate_id: 'ZR_88_CAND' }],
    ['no name', { candidate_id: '7' }],
  ])('does not understand a form with %s', (_what, form) => {
    expect(() => candidateOfForm(form)).toThrow(NotUnderstood);
  });
});
