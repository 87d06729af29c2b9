import {
  candidateOfPerson,
  greenhouseCandidate,
  greenhouseCandidateOfApplication,
  greenhouseGoesOn,
  greenhouseJob,
  greenhouseUser,
  lastChangeOf,
} from '../../../../../src/integrations/ats/connectors/greenhouse/greenhouse.mapping.js';
import { NotUnderstood } from '../../../../../src/integrations/ats/connectors/connector.js';

const PERSON = { id: 7, first_name: 'Ana', last_name: 'Cruz', email_addresses: [{ value: 'ana@example.com' }] };
const application = (id: number, more: object = {}) => ({
  id,
  status: 'active',
  job_id: 40 + id,
  stage_id: 5,
  stage_name: 'Interview',
  source_id: 9,
  created_at: '2026-03-01T00:00:00Z',
  updated_at: '2026-03-02T09:15:28Z',
  ...more,
});

test('reads a job of the API, and one of a webhook', () => {
  const job = { id: 4, name: 'Cook', status: 'open', opened_at: '2026-01-01T00:00:00Z' };
  expect(greenhouseJob(job)).toMatchObject({ remoteId: '4', title: 'Cook', status: 'open' });
  expect('department' in greenhouseJob(job)).toBe(false);
  const told = {
    ...job,
    departments: [{ name: 'Kitchen' }],
    offices: [{ location: { name: 'Vienna' } }],
    custom_fields: { employment_type: { value: 'Full-time' } },
  };
  expect(greenhouseJob(told)).toMatchObject({ department: 'Kitchen', location: 'Vienna', employmentType: 'Full-time' });
});

test('counts the active application, and the newest of several', () => {
  const all = [
    application(1, { status: 'rejected', created_at: '2026-03-09T00:00:00Z' }),
    application(2),
    application(3, { created_at: '2026-03-02T00:00:00Z' }),
  ];
  expect(greenhouseCandidate(PERSON, all, new Map([['9', 'Jobs page']]))).toMatchObject({
    remoteId: '7',
    firstName: 'Ana',
    email: 'ana@example.com',
    jobRemoteId: '43',
    status: 'active',
    stage: { id: '5', name: 'Interview' },
    metadata: { application_id: '3', ats_source: 'Jobs page' },
    changedAt: new Date('2026-03-02T09:15:28Z'),
  });
});

test('leaves the source out when its name is unknown', () => {
  expect('ats_source' in greenhouseCandidate(PERSON, [application(1)], new Map()).metadata!).toBe(false);
});

test.each([
  [{ status: 'hired' }, 'hired'],
  [{ status: 'rejected' }, 'rejected'],
  [{ status: 'active', rejected_at: '2026-03-02T00:00:00Z' }, 'rejected'],
  [{ status: 'converted' }, 'archived'],
])('takes an application with %j for %s', (more, status) => {
  expect(greenhouseGoesOn(application(1, more))).toBe(false);
  expect(greenhouseCandidate(PERSON, [application(1, more)], new Map()).status).toBe(status);
});

test('reads the candidate of an application, with the opening', () => {
  const told = {
    ...application(1),
    candidate: { ...PERSON, url: 'https://app.greenhouse.io/7' },
    jobs: [{ id: 4, name: 'Cook', status: 'open', created_at: '2026-01-01T00:00:00Z' }],
    current_stage: { id: 5, name: 'Interview' },
    source: { name: 'Jobs page' },
    credited_to: { email: 'dana@example.com' },
  };
  expect(greenhouseCandidateOfApplication(told)).toMatchObject({
    jobRemoteId: '4',
    job: { title: 'Cook', changedAt: new Date('2026-01-01T00:00:00Z') },
    metadata: { application_id: '1', ats_source: 'Jobs page', referrer: 'dana@example.com' },
  });
  expect(() => greenhouseCandidateOfApplication(application(1))).toThrow(NotUnderstood);
});

test('takes the one name of a person for the first name', () => {
  expect(candidateOfPerson({ ...PERSON, first_name: null })).toMatchObject({ firstName: 'Cruz', lastName: '' });
  expect(() => candidateOfPerson({ id: 7 })).toThrow(NotUnderstood);
});

test('takes the later time of an application for its last change', () => {
  const times = { updated_at: '2026-03-01T00:00:00Z', last_activity_at: '2026-03-02T00:00:00Z' };
  expect([lastChangeOf(times), lastChangeOf({})]).toEqual([new Date('2026-03-02T00:00:00Z'), null]);
});

test.each([
  [{ disabled: true }, false],
  [{ deactivated: true }, false],
  [{ active: false }, false],
  [{}, true],
])('takes a user with %j for active: %s', (more, active) => {
  const user = { id: 1, first_name: 'Dana', last_name: 'Whitlock', primary_email: 'd@e.com', ...more };
  expect(greenhouseUser(user)).toEqual({ id: '1', name: 'Dana Whitlock', email: 'd@e.com', active });
});
