import {
  applicationIdsIn,
  applicationsIn,
  goneOf,
  isAnonymized,
  leverCandidate,
  leverJob,
  leverUser,
} from '../../../../../src/integrations/ats/connectors/lever/lever.mapping.js';
import { NotUnderstood } from '../../../../../src/integrations/ats/connectors/connector.js';

const POSTING = {
  id: 'p1',
  text: 'Cook',
  state: 'published',
  categories: { team: 'Kitchen', location: 'Vienna', commitment: 'Full-time' },
  urls: { show: 'https://jobs.lever.co/p1' },
  updatedAt: 1772440000500,
};
const OPPORTUNITY = {
  id: 'o1',
  name: 'Ana de la Cruz',
  emails: ['', 'ana@example.com'],
  archived: null,
  stage: { id: 's1', text: 'Interview' },
  contact: 'k1',
  sources: ['Careers page'],
  sourcedBy: { id: 'u1', name: 'Dana' },
  updatedAt: 1772440000500,
};

test('reads a posting as a job', () => {
  expect(leverJob(POSTING)).toMatchObject({
    remoteId: 'p1',
    title: 'Cook',
    status: 'open',
    department: 'Kitchen',
    location: 'Vienna',
    employmentType: 'Full-time',
    changedAt: new Date(1772440000500),
  });
});

test.each([
  ['published', 'open'],
  ['internal', 'open'],
  ['closed', 'closed'],
  ['rejected', 'closed'],
  ['draft', 'draft'],
  ['pending', 'draft'],
])('takes a posting in the state %s for %s', (state, status) => {
  expect(leverJob({ ...POSTING, state }).status).toBe(status);
});

test('reads an opportunity with the open application that is newest', () => {
  const applications = [
    { id: 'a1', posting: 'p1', archived: { reason: 'x' }, createdAt: 9 },
    { id: 'a2', posting: 'p2', archived: null, createdAt: 1 },
    { id: 'a3', posting: { id: 'p3' }, archived: null, createdAt: 2 },
  ];
  expect(leverCandidate(OPPORTUNITY, applications)).toMatchObject({
    remoteId: 'o1',
    firstName: 'Ana',
    lastName: 'de la Cruz',
    email: 'ana@example.com',
    jobRemoteId: 'p3',
    status: 'active',
    stage: { id: 's1', name: 'Interview' },
    metadata: { application_id: 'a3', contact_id: 'k1', ats_source: 'Careers page', referrer: 'Dana' },
  });
});

test('takes an opportunity that is archived for archived', () => {
  expect(leverCandidate({ ...OPPORTUNITY, archived: { reason: 'x' } }, [])).toMatchObject({
    status: 'archived',
    jobRemoteId: null,
  });
});

test('does not understand a person who was anonymised, and a state that is not known', () => {
  expect(isAnonymized({ isAnonymized: true })).toBe(true);
  expect(() => leverCandidate({ ...OPPORTUNITY, isAnonymized: true }, [])).toThrow(NotUnderstood);
  expect(() => leverJob({ ...POSTING, state: 'odd' })).toThrow(NotUnderstood);
});

test('distinguishes applications that the answer contains from those that it names', () => {
  const mixed = { applications: ['a1', { id: 'a2' }, 7] };
  expect([applicationIdsIn(mixed), applicationsIn(mixed)]).toEqual([['a1', '7'], [{ id: 'a2' }]]);
});

test('reads a deleted record and a user', () => {
  expect(goneOf('candidate', { id: 'o1', deletedAt: 1_000 })).toMatchObject({ remoteId: 'o1', at: new Date(1_000) });
  expect(leverUser({ id: 'u1', name: 'Dana', email: 'd@e.com', deactivatedAt: null })).toMatchObject({ active: true });
  expect(leverUser({ id: 'u1', deactivatedAt: 5 })).toMatchObject({ active: false, name: null });
});
