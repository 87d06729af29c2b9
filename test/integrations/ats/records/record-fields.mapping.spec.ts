import { takesOf } from '../../../../src/integrations/ats/connections/ats-settings.rules.js';
import type { AtsCandidate } from '../../../../src/integrations/ats/connectors/connector.js';
import {
  externalIdOf,
  openingOf,
  syncedOf,
  survivorFrom,
  openingRefusal,
  personRefusal,
} from '../../../../src/integrations/ats/records/record-fields.mapping.js';

describe('record fields', () => {
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
});

describe('survivor', () => {
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
});

describe('selection', () => {
  const AT = new Date('2026-03-02T09:00:00Z');
  const person = (more: Partial<AtsCandidate> = {}): AtsCandidate => ({
    remoteId: '7',
    firstName: 'Ana',
    lastName: 'Cruz',
    email: null,
    changedAt: null,
    ...more,
  });
  const refusal = (takes: object, candidate = person()) => personRefusal(takesOf(takes), candidate, AT);

  test('takes an active candidate, and one without a status', () => {
    expect([refusal({}, person({ status: 'active' })), refusal({})]).toEqual([null, null]);
  });

  test('refuses a candidate who is not active, unless all are taken', () => {
    expect(refusal({}, person({ status: 'hired' }))).toBe('not_active');
    expect(refusal({ candidates: 'all' }, person({ status: 'hired' }))).toBeNull();
  });

  test('refuses a candidate of another stage, and of none, when stages are chosen', () => {
    expect(refusal({ stages: ['s1'] }, person({ stage: { id: 's1', name: null } }))).toBeNull();
    expect(refusal({ stages: ['s1'] }, person({ stage: { id: 's2', name: null } }))).toBe('other_stage');
    expect(refusal({ stages: ['s1'] })).toBe('other_stage');
  });

  test('refuses a candidate who has not changed since the chosen time', () => {
    expect(refusal({ since: new Date('2026-03-03T00:00:00Z') })).toBe('before_since');
    expect(refusal({ since: new Date('2026-03-01T00:00:00Z') })).toBeNull();
  });

  test('refuses a candidate without an open opening, unless all openings are taken', () => {
    const [open, all] = [takesOf(undefined), takesOf({ postings: 'all' } as never)];
    expect([openingRefusal(open, 'open'), openingRefusal(open, 'closed'), openingRefusal(open, undefined)]).toEqual([
      null,
      'no_open_job',
      'no_open_job',
    ]);
    expect(openingRefusal(all, undefined)).toBeNull();
  });
});
