import { externalIdOf, openingOf, syncedOf } from '../../../../src/integrations/ats/records/record-fields.mapping.js';
import type { AtsCandidate } from '../../../../src/integrations/ats/connectors/ats-records.js';

const OWNER = { id: 'ats_1', provider: 'greenhouse', marker: 'gh_' };
const person = (more: Partial<AtsCandidate> = {}): AtsCandidate => ({
  remoteId: '480912000001234567',
  firstName: 'Ana',
  lastName: 'de la Cruz',
  email: 'ana@example.com',
  changedAt: null,
  ...more,
});

it('puts the marker before ids, and refuses values that the API refuses', () => {
  expect(externalIdOf(OWNER, '480912000001234567')).toBe('gh_480912000001234567');
  expect(['', 'a\u0000', ' a ', 'x'.repeat(300)].map((id) => externalIdOf(OWNER, id))).toEqual(
    ['', '', '', ''].map(() => null),
  );
});

it('maps the metadata to the keys of the source', () => {
  const given = person({
    jobRemoteId: '77',
    stage: { id: 's1', name: 'Interview' },
    metadata: { ats_source: 'Job\u0007 board', referrer: null },
  });
  expect(syncedOf(OWNER, given, undefined)).toMatchObject({
    externalId: 'gh_480912000001234567',
    opening: 'gh_77',
    metadata: {
      ats: 'greenhouse',
      job_opening_id: 'gh_77',
      original_job_id: '77',
      ats_stage: 'Interview',
      ats_source: 'Job  board',
      referrer: null,
    },
  });
});

it('leaves out fields that the ATS did not send', () => {
  const { metadata } = syncedOf(OWNER, person(), undefined) as { metadata: object };
  expect(metadata).toEqual({ ats: 'greenhouse' });
});

it.each<[string, Partial<AtsCandidate>, { email: string } | undefined, unknown]>([
  ['no e-mail', { email: null }, undefined, 'no_email'],
  ['a text that is no e-mail', { email: 'n/a' }, undefined, 'no_email'],
  ['no name', { firstName: ' ', lastName: '' }, undefined, 'no_name'],
  ['an id that is too long', { remoteId: 'x'.repeat(300) }, undefined, 'bad_id'],
  ['a known candidate whose e-mail is gone', { email: null }, { email: 'old@x.example' }, { email: 'old@x.example' }],
  [
    'one name that stands as the last one',
    { firstName: '', lastName: 'Cher' },
    undefined,
    { firstName: 'Cher', lastName: '' },
  ],
])('%s', (_, more, known, expected) => {
  const found = syncedOf(OWNER, person(more), known);
  if (typeof expected === 'string') expect(found).toBe(expected);
  else expect(found).toMatchObject(expected as object);
});

it('leaves out fields of an opening that the ATS did not send, and invalid addresses', () => {
  const job = { remoteId: '7', title: ' \u0001 ', status: 'open' as const, url: 'javascript:x', changedAt: null };
  expect(openingOf(OWNER, job)).toEqual({
    title: '7',
    status: 'open',
    url: null,
    ats: 'greenhouse',
    ats_connection_id: 'ats_1',
  });
});
