import { Ajv2020 } from 'ajv/dist/2020.js';
import { EVENTS } from '../../../src/engine/events/catalogue.js';
import { jobBody, jobData } from '../../../src/hiring/jobs/job.dto.js';
import { newJob } from '../../../src/hiring/jobs/job.js';

const row = newJob('gh_1', { title: 'Cook', url: 'https://x.example/1' }, 'job_1', new Date('2026-03-01T00:00:00Z'));

it('shows an opening, and records it with its sequence', () => {
  expect(jobBody(row)).toEqual({
    id: 'job_1',
    external_id: 'gh_1',
    ats: null,
    ats_connection_id: null,
    title: 'Cook',
    status: 'open',
    department: null,
    location: null,
    employment_type: null,
    url: 'https://x.example/1',
    opened_at: '2026-03-01T00:00:00.000Z',
    closed_at: null,
    created_at: '2026-03-01T00:00:00.000Z',
    updated_at: '2026-03-01T00:00:00.000Z',
  });
  expect(jobData(row)).toBe(JSON.stringify({ ...jobBody(row), sequence: 1 }));
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  expect(ajv.validate(EVENTS['job.synced'].schema, JSON.parse(jobData(row)))).toBe(true);
});
