import { NotUnderstood, type InboundReading } from '../../../../src/integrations/ats/connectors/connector.js';
import { connectorOf } from '../../../../src/integrations/ats/providers/providers.js';
import { parseLossless } from '../../../../src/base/json-text.js';

function read(provider: string, event: unknown, headers: Record<string, string> = {}): InboundReading {
  const raw = Buffer.from(JSON.stringify(event));
  return connectorOf(provider)!.inbound.read({ raw, body: parseLossless(raw), headers, receivedAt: new Date() });
}

const PERSON = { id: 7, first_name: 'Ana', last_name: 'Cruz', email_addresses: [{ value: 'ana@example.com' }] };
const APPLICATION = {
  id: 9,
  status: 'active',
  last_activity_at: '2026-03-02T09:15:28Z',
  current_stage: null,
  candidate: PERSON,
  jobs: [],
};

describe('events of Greenhouse', () => {
  it.each<[string, string, unknown, unknown]>([
    [
      'a merge',
      'merge_candidate',
      { person: { id: 7, new_candidate_id: '8' } },
      { kind: 'gone', gone: { remoteId: '7', survivorId: '8' } },
    ],
    [
      'an anonymised person',
      'candidate_anonymized',
      { candidate_id: 7, anonymized_fields: ['full_name'] },
      { kind: 'gone' },
    ],
    [
      'cleared fields',
      'candidate_anonymized',
      { candidate_id: 7, anonymized_fields: ['tags'] },
      { kind: 'read_back', remoteId: '7' },
    ],
    [
      'an id as text',
      'new_candidate_application',
      { application: { ...APPLICATION, candidate: { ...PERSON, id: '7' } } },
      { kind: 'candidate', candidate: { remoteId: '7' } },
    ],
    [
      'no stage and no job',
      'new_prospect_application',
      { application: APPLICATION },
      { kind: 'candidate', candidate: { stage: null, jobRemoteId: null, status: 'active' } },
    ],
    [
      'a rejection, which says nothing of other applications',
      'reject_candidate',
      { application: { ...APPLICATION, status: 'rejected' } },
      { kind: 'candidate', candidate: { status: 'rejected', changedAt: null } },
    ],
    [
      'a person with one name',
      'update_candidate',
      { candidate: { ...PERSON, first_name: null } },
      { kind: 'candidate', candidate: { firstName: 'Cruz', lastName: '' } },
    ],
    [
      'no e-mail',
      'update_candidate',
      { candidate: { ...PERSON, email_addresses: [] } },
      { kind: 'candidate', candidate: { email: null } },
    ],
    ['a deleted job', 'job_deleted', { job: { id: 4 } }, { kind: 'gone', gone: { kind: 'job', remoteId: '4' } }],
    ['a record of no interest', 'offer_created', { id: 1 }, { kind: 'none' }],
  ])('reads %s', (_what, action, payload, effect) => {
    expect(read('greenhouse', { action, payload }).effect).toMatchObject(effect as object);
  });

  it('keeps an id of 18 digits', () => {
    const raw = '{"action":"delete_candidate","payload":{"person":{"id":554000000123456789}}}';
    const request = { raw: Buffer.from(raw), body: parseLossless(raw), headers: {}, receivedAt: new Date() };
    const { effect } = connectorOf('greenhouse')!.inbound.read(request);
    expect(effect).toMatchObject({ gone: { remoteId: '554000000123456789' } });
  });

  it.each<[string, unknown]>([
    ['merge_candidate', { person: { id: 7 } }],
    ['merge_candidate', { person: { id: 7, new_candidate_id: 7 } }],
    ['delete_candidate', { person: { id: '../users' } }],
    ['new_candidate_application', {}],
    ['new_candidate_application', { application: { ...APPLICATION, candidate: { id: 7 } } }],
  ])('does not understand %s without a needed field', (action, payload) => {
    expect(() => read('greenhouse', { action, payload })).toThrow(NotUnderstood);
  });
});

describe('events of Ashby', () => {
  const person = { id: 'c1', name: 'Ana de la Cruz' };
  const application = {
    id: 'a1',
    status: 'Active',
    updatedAt: '2026-03-02T09:15:28.000Z',
    candidate: person,
    job: { id: 'j1', title: 'Cook' },
  };
  it.each<[string, string, unknown, unknown]>([
    [
      'a merge',
      'candidateMerge',
      { deletedCandidate: { id: 'c1' }, mergedCandidate: { id: 'c2' } },
      { kind: 'gone', gone: { remoteId: 'c1', survivorId: 'c2' } },
    ],
    [
      'a deletion',
      'candidateDelete',
      { candidate: { id: 'c1' } },
      { kind: 'gone', gone: { remoteId: 'c1', survivorId: null } },
    ],
    [
      'keys that were left out',
      'applicationUpdate',
      { application },
      { kind: 'candidate', candidate: { email: null, stage: null, lastName: 'de la Cruz' } },
    ],
    [
      'a hire',
      'candidateHire',
      { application: { ...application, status: 'Hired' }, offer: {} },
      { kind: 'candidate', candidate: { status: 'hired', changedAt: null } },
    ],
    [
      'a job',
      'jobCreate',
      { job: { id: 'j1', title: 'Cook', status: 'Draft' } },
      { kind: 'job', job: { status: 'draft', changedAt: null } },
    ],
    ['an interview', 'interviewScheduleCreate', { interviewSchedule: {} }, { kind: 'none' }],
  ])('reads %s', (_what, action, data, effect) => {
    expect(read('ashby', { action, data, webhookActionId: 'w' }).effect).toMatchObject(effect as object);
  });

  it('distinguishes sibling events of one cause', () => {
    const keys = ['candidateStageChange', 'applicationUpdate'].map(
      (action) => read('ashby', { action, data: { application }, webhookActionId: 'w' }).dedupeKey,
    );
    expect(new Set(keys).size).toBe(2);
  });
});

describe('events of Lever', () => {
  it.each<[string, unknown, unknown]>([
    ['candidateArchiveChange', { opportunityId: 'o1' }, { kind: 'read_back', remoteId: 'o1' }],
    ['candidateHired', { candidateId: 'o1' }, { kind: 'read_back', remoteId: 'o1' }],
    ['interviewCreated', { opportunityId: 'o1' }, { kind: 'none' }],
    ['contactUpdated', { contactId: 'k1' }, { kind: 'none' }],
  ])('reads %s', (event, data, effect) => {
    expect(read('lever', { event, data, token: 't', triggeredAt: 1 })).toMatchObject({ dedupeKey: 't', effect });
  });

  it('refuses an id that would lead to another address', () => {
    for (const opportunityId of ['../users', '..', 'a/b', 'x'.repeat(200), { id: 1 }, '']) {
      expect(() => read('lever', { event: 'candidateHired', data: { opportunityId } })).toThrow(NotUnderstood);
    }
  });
});
