import {
  ashbyCandidate,
  ashbyCandidateOfApplication,
  ashbyGoesOn,
  ashbyJob,
  ashbyUser,
} from '../../../../../src/integrations/ats/connectors/ashby/ashby.mapping.js';
import { NotUnderstood } from '../../../../../src/integrations/ats/connectors/connector.js';

const PERSON = { id: 'c1', name: 'Ana de la Cruz', primaryEmailAddress: { value: 'ana@example.com' } };
const application = (id: string, status: string, more: object = {}) => ({
  id,
  status,
  createdAt: '2026-03-01T00:00:00.000Z',
  updatedAt: '2026-03-02T09:15:28.000Z',
  job: { id: `j-${id}`, title: 'Cook' },
  currentInterviewStage: { id: 's1', title: 'Interview' },
  candidate: PERSON,
  ...more,
});

test.each([
  ['Open', 'open'],
  ['Closed', 'closed'],
  ['Archived', 'closed'],
  ['Draft', 'draft'],
])('takes a job in the state %s for %s', (state, status) => {
  expect(ashbyJob({ id: 'j1', title: 'Cook', status: state }).status).toBe(status);
});

test('counts the active application, and the newest of several', () => {
  const all = [
    application('a1', 'Hired'),
    application('a2', 'Active'),
    application('a3', 'Active', { createdAt: '2026-03-02T00:00:00.000Z' }),
    application('a4', 'Lead', { createdAt: '2026-03-03T00:00:00.000Z' }),
  ];
  expect(ashbyCandidate(PERSON, all)).toMatchObject({
    firstName: 'Ana',
    lastName: 'de la Cruz',
    email: 'ana@example.com',
    jobRemoteId: 'j-a3',
    status: 'active',
    stage: { id: 's1', name: 'Interview' },
    metadata: { application_id: 'a3', full_name: 'Ana de la Cruz' },
    changedAt: new Date('2026-03-02T09:15:28Z'),
  });
});

test.each([
  ['Hired', {}, 'hired'],
  ['Archived', { archiveReason: { reasonType: 'RejectedByOrg' } }, 'rejected'],
  ['Archived', { archiveReason: { reasonType: 'Other' } }, 'archived'],
  ['Archived', {}, 'archived'],
])('takes an application in the state %s with %j for %s', (state, more, status) => {
  const ended = application('a1', state, more);
  expect(ashbyGoesOn(ended)).toBe(false);
  expect(ashbyCandidateOfApplication(ended).status).toBe(status);
});

test('has no opening when a candidate has no application', () => {
  expect(ashbyCandidate(PERSON, [])).toMatchObject({ jobRemoteId: null, metadata: { application_id: null } });
});

test('reads the first e-mail when there is no primary one', () => {
  const person = {
    id: 'c1',
    name: 'Ana',
    emailAddresses: [{ value: 'first@example.com' }, { value: 'b@example.com' }],
  };
  expect(ashbyCandidate(person, []).email).toBe('first@example.com');
});

test('does not understand an application without a candidate, and a state that is not known', () => {
  expect(() => ashbyCandidateOfApplication({ id: 'a1', status: 'Active' })).toThrow(NotUnderstood);
  expect(() => ashbyJob({ id: 'j1', title: 'Cook', status: 'Odd' })).toThrow(NotUnderstood);
});

test('reads a user', () => {
  const user = { id: 'u1', firstName: 'Dana', lastName: 'Whitlock', email: 'd@e.com', isEnabled: true };
  expect(ashbyUser(user)).toEqual({ id: 'u1', name: 'Dana Whitlock', email: 'd@e.com', active: true });
  expect(ashbyUser({ id: 'u1', email: 'd@e.com', isEnabled: false })).toMatchObject({ name: 'd@e.com', active: false });
});
