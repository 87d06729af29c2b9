import { survivorFrom } from '../../../../src/integrations/ats/records/survivor.mapping.js';

const MERGED = {
  first_name: 'Ana',
  last_name: 'Cruz',
  email: 'ana@example.com',
  metadata: JSON.stringify({
    ats: 'greenhouse',
    original_job_id: '4',
    job_opening_id: 'gh_4',
    ats_stage: 'Interview',
    ats_source: 'Jobs page',
    note: 'ours',
  }),
  ats_keys: ['ats', 'original_job_id', 'job_opening_id', 'ats_stage', 'ats_source'],
  ats_status: 'active',
};

test('makes the survivor from the data of the merged candidate, without a time', () => {
  expect(survivorFrom(MERGED as never, '8')).toEqual({
    remoteId: '8',
    firstName: 'Ana',
    lastName: 'Cruz',
    email: 'ana@example.com',
    jobRemoteId: '4',
    stage: { id: 'Interview', name: 'Interview' },
    status: 'active',
    metadata: { ats_source: 'Jobs page' },
    changedAt: null,
  });
});

test('leaves out stage, opening and status when the merged candidate has none', () => {
  const survivor = survivorFrom({ ...MERGED, metadata: '{}', ats_keys: null, ats_status: null } as never, '8');
  expect(survivor).toMatchObject({ jobRemoteId: null, stage: null, metadata: {} });
  expect('status' in survivor).toBe(false);
});
