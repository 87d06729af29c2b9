import {
  zohoCandidate,
  zohoCandidateOfApplication,
  zohoGoesOn,
  zohoGone,
  isNotAssociated,
  zohoJob,
  recordIdOf,
  zohoStatus,
  zohoUser,
} from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit.mapping.js';
import { NotUnderstood } from '../../../../../src/integrations/ats/connectors/connector.js';
import { samplesOf } from '../../../../simulators/core/samples.js';

type Row = Record<string, unknown>;

const rowsOf = (name: string): Row[] => {
  const sample = samplesOf('zoho_recruit').find((one) => one.name === name)!;
  return (sample.response!.body as { data: Row[] }).data;
};
const PERSON = rowsOf('candidate.get')[0]!;
const OPENING = rowsOf('job_openings.page1')[0]!;
const APPLICATION = {
  id: '480912000000777001',
  $Candidate_Id: '480912000001234567',
  $Job_Opening_Id: '480912000000987654',
  Posting_Title: 'Backend Engineer',
  First_Name: 'Zoë',
  Last_Name: 'Müller',
  Email: 'zoe.muller@example.com',
  Application_Status: 'Interview-Scheduled',
  Source: 'Career site',
  Modified_Time: '2026-03-02T10:15:28+01:00',
};

test('reads the job openings of the samples', () => {
  expect([...rowsOf('job_openings.page1'), ...rowsOf('job_openings.page2')].map(zohoJob)).toMatchObject([
    {
      remoteId: '480912000000987654',
      title: 'Backend Engineer',
      status: 'open',
      location: 'Vienna',
      employmentType: 'Full time',
      openedAt: new Date('2026-02-02T15:41:12Z'),
      changedAt: new Date('2026-03-01T08:15:44Z'),
    },
    { remoteId: '480912000000987655', title: 'Customer Success Manager', status: 'draft' },
    { remoteId: '480912000000987656', title: 'Office Coordinator', status: 'closed' },
  ]);
});

test.each([
  ['In-progress', 'open'],
  ['Interviewing', 'open'],
  ['Waiting for approval', 'draft'],
  ['On-Hold', 'closed'],
  ['Filled', 'closed'],
  ['Cancelled', 'closed'],
  ['Declined', 'closed'],
  ['Inactive', 'closed'],
])('takes an opening in the state %s for %s', (name, status) => {
  expect(zohoJob({ ...OPENING, Job_Opening_Status: name }).status).toBe(status);
});

test.each([
  [null, 'active'],
  ['Associated', 'active'],
  ['Interview-to-be-Scheduled', 'active'],
  ['Offer-Made', 'active'],
  ['Hired', 'hired'],
  ['Joined', 'hired'],
  ['Converted - Employee', 'hired'],
  ['Rejected', 'rejected'],
  ['Rejected by client', 'rejected'],
  ['Unqualified', 'rejected'],
  ['Un-Qualified', 'rejected'],
  ['Offer-Declined', 'rejected'],
  ['Archived', 'archived'],
  ['No-Show', 'archived'],
])('takes an application in the state %s for %s', (name, status) => {
  expect(zohoStatus(name)).toBe(status);
});

test('reads a candidate with the opening of the active application, whichever is newer', () => {
  const openings = [
    { ...OPENING, id: '1', Candidate_Status: 'Rejected', Updated_On: '2026-03-05T10:00:00+01:00' },
    { ...OPENING, id: '2', Candidate_Status: 'Associated', Updated_On: '2026-03-01T10:00:00+01:00' },
    { ...OPENING, id: '3', Candidate_Status: 'Interview-Scheduled', Updated_On: '2026-03-02T10:00:00+01:00' },
  ];
  expect(zohoCandidate(PERSON, openings)).toMatchObject({
    remoteId: '480912000001234567',
    firstName: 'Zoë',
    lastName: 'Müller',
    email: 'zoe.muller@example.com',
    jobRemoteId: '3',
    job: { remoteId: '3', title: 'Backend Engineer' },
    status: 'active',
    stage: { id: 'Interview-Scheduled', name: 'Interview-Scheduled' },
    metadata: { ats_source: 'Career site' },
    changedAt: new Date('2026-03-02T09:15:28Z'),
  });
});

test('takes the state of the candidate when the opening has none', () => {
  expect(zohoCandidate(PERSON, [OPENING])).toMatchObject({ stage: { id: 'Interview-to-be-Scheduled' } });
});

test('has a null opening when there is none, and leaves the opening out when it is unknown', () => {
  expect(zohoCandidate(PERSON, [])).toMatchObject({
    jobRemoteId: null,
    stage: null,
    metadata: { application_id: null },
  });
  const unknown = zohoCandidate(PERSON, null);
  expect(['jobRemoteId', 'status', 'stage'].filter((key) => key in unknown)).toEqual([]);
  expect(unknown.metadata).toEqual({ ats_source: 'Career site' });
});

test('takes the priority from the field ATS_Priority when the layout has it', () => {
  expect(zohoCandidate({ ...PERSON, ATS_Priority: 'high' }, []).metadata).toMatchObject({ ats_priority: 'high' });
});

test('takes the one name of a person for the first name', () => {
  const names = (row: Row) => zohoCandidate({ ...PERSON, First_Name: null, Last_Name: null, ...row }, []);
  expect(names({ Last_Name: 'Teller' })).toMatchObject({ firstName: 'Teller', lastName: '' });
  expect(names({ Full_Name: 'Ludwig van Beethoven' })).toMatchObject({
    firstName: 'Ludwig',
    lastName: 'van Beethoven',
  });
  expect(() => names({})).toThrow(NotUnderstood);
});

test('reads the candidate of an application', () => {
  expect(zohoCandidateOfApplication(APPLICATION)).toEqual({
    remoteId: '480912000001234567',
    firstName: 'Zoë',
    lastName: 'Müller',
    email: 'zoe.muller@example.com',
    jobRemoteId: '480912000000987654',
    job: { remoteId: '480912000000987654', title: 'Backend Engineer', status: 'open', changedAt: new Date(0) },
    status: 'active',
    stage: { id: 'Interview-Scheduled', name: 'Interview-Scheduled' },
    metadata: {
      job_opening_id: '480912000000987654',
      application_id: '480912000000777001',
      ats_source: 'Career site',
    },
    changedAt: new Date('2026-03-02T09:15:28Z'),
  });
});

test('finds candidate and opening of an application in references as well', () => {
  const { $Candidate_Id: candidate, $Job_Opening_Id: opening, Posting_Title: title, ...rest } = APPLICATION;
  const row = { ...rest, Candidate_Name: { id: candidate }, Job_Opening_Name: { id: opening, name: title } };
  expect(zohoCandidateOfApplication(row)).toEqual(zohoCandidateOfApplication(APPLICATION));
});

test('does not understand an application without a candidate, or without an id', () => {
  expect(() => zohoCandidateOfApplication({ ...APPLICATION, $Candidate_Id: 'ZR_88_CAND' })).toThrow(NotUnderstood);
  expect(() => zohoCandidateOfApplication({ ...APPLICATION, id: null })).toThrow(NotUnderstood);
});

test('takes only digits for a record id', () => {
  expect([480912, '480912000001234567', { id: '7' }].map(recordIdOf)).toEqual(['480912', '480912000001234567', '7']);
  expect(['ZR_12_JOB', '', null, {}, 1.5, '7/../8'].map(recordIdOf)).toEqual([null, null, null, null, null, null]);
});

test('distinguishes an active application from a candidate without one', () => {
  expect([APPLICATION, { Candidate_Status: 'Hired' }].map(zohoGoesOn)).toEqual([true, false]);
  expect([{ Candidate_Status: 'New' }, {}, PERSON].map(isNotAssociated)).toEqual([true, true, false]);
});

test('reads a deleted record', () => {
  expect(zohoGone('job', { id: '7', deleted_time: '2026-03-02T10:15:28+01:00' })).toEqual({
    kind: 'job',
    remoteId: '7',
    at: new Date('2026-03-02T09:15:28Z'),
    survivorId: null,
  });
});

test('reads a user', () => {
  const user = { id: '9', full_name: 'Dana Whitlock', email: 'dana@example.com', status: 'active' };
  expect(zohoUser(user)).toEqual({ id: '9', name: 'Dana Whitlock', email: 'dana@example.com', active: true });
  expect(zohoUser({ ...user, status: 'deleted' }).active).toBe(false);
});
