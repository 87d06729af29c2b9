import { managedChange } from '../../../src/hiring/candidates/managed.rules.js';
import { newCandidate } from '../../../src/hiring/candidates/candidate.rules.js';
import { readCandidateMetadata } from '../../../src/hiring/candidates/metadata.rules.js';

const metadata = (value: object) => readCandidateMetadata(JSON.stringify(value), value);
const BEFORE = {
  ...newCandidate(
    {
      email: 'ana@example.com',
      first_name: 'Ana',
      last_name: 'Cruz',
      external_id: 'gh_7',
      metadata: metadata({ ats: 'greenhouse', note: 'ours' }),
    },
    'cand_1',
    new Date(0),
  ).row,
  ats_connection_id: 'ats_1',
  ats_keys: ['ats'],
};

test('names the fields of the ATS that a change would set', () => {
  const { wrong } = managedChange(BEFORE, { email: 'other@example.com', first_name: 'Ana', job_title: 'Cook' });
  expect(wrong).toEqual(['email', 'job_title']);
});

test('sees no change when a value is sent back unchanged', () => {
  const { email, first_name, last_name, external_id } = BEFORE;
  expect(managedChange(BEFORE, { email, first_name, last_name, external_id }).wrong).toEqual([]);
});

test('keeps the keys of the ATS when the metadata leaves them out', () => {
  const { change, wrong } = managedChange(BEFORE, { metadata: metadata({ note: 'new' }) });
  expect(JSON.parse(change.metadata!.text)).toEqual({ ats: 'greenhouse', note: 'new' });
  expect(wrong).toEqual([]);
});

test('names the key of the ATS when the metadata changes it', () => {
  expect(managedChange(BEFORE, { metadata: metadata({ ats: 'lever' }) }).wrong).toEqual(['metadata.ats']);
});
