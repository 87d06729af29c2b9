import { type JobRow, changedJob, newJob, type JobFields } from '../../../src/hiring/jobs/job.js';

const AT = new Date('2026-03-01T00:00:00Z');
const LATER = new Date('2026-03-02T00:00:00Z');
const EARLIER = new Date('2026-02-01T00:00:00Z');
const job = (fields: Partial<JobFields> = {}): JobRow => newJob('E', { title: 'T', ...fields }, 'job_1', AT);

it.each<[Partial<JobFields>, Partial<JobRow>]>([
  [{}, { status: 'open', opened_at: AT, closed_at: null, sequence: 1, ats_connection_id: null }],
  [{ opened_at: EARLIER }, { opened_at: EARLIER }],
  [{ status: 'draft' }, { status: 'draft', opened_at: null, closed_at: null }],
  [{ status: 'closed' }, { opened_at: null, closed_at: AT }],
  [{ status: 'closed', closed_at: EARLIER }, { closed_at: EARLIER }],
  [{ status: 'open', closed_at: EARLIER }, { closed_at: null }],
])('a new opening: %j', (fields, expected) => {
  expect(job(fields)).toMatchObject({ external_id: 'E', title: 'T', created_at: AT, updated_at: AT, ...expected });
});

it.each<[string, JobRow, Partial<JobFields>, Partial<JobRow> | null]>([
  ['nothing', job(), {}, null],
  ['as it is', job({ department: 'D' }), { title: 'T', department: 'D', opened_at: AT, closed_at: null }, null],
  ['a field', job(), { location: 'Z' }, { location: 'Z', sequence: 2, updated_at: LATER }],
  ['null', job({ department: 'D' }), { department: null }, { department: null }],
  ['left out', job({ department: 'D' }), { title: 'N' }, { title: 'N', department: 'D' }],
  ['closed', job(), { status: 'closed' }, { closed_at: LATER, opened_at: AT }],
  ['closed again', job({ status: 'closed' }), { status: 'closed' }, null],
  ['closed again, with null', job({ status: 'closed' }), { status: 'closed', closed_at: null }, null],
  [
    'open again',
    job({ status: 'closed', opened_at: EARLIER }),
    { status: 'open' },
    { closed_at: null, opened_at: EARLIER },
  ],
  ['first open', job({ status: 'draft' }), { status: 'open' }, { opened_at: LATER }],
  ['first open, when not known', job({ status: 'draft' }), { status: 'open', opened_at: null }, { opened_at: null }],
])('a change: %s', (_, before, fields, expected) => {
  const after = changedJob(before, fields, LATER);
  if (expected === null) expect(after).toBeNull();
  else expect(after).toMatchObject(expected);
});
