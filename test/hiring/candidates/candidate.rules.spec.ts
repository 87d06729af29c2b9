import type { CandidateChange, CandidateRow, Metadata } from '../../../src/hiring/candidates/candidate.js';
import {
  changedCandidate,
  newCandidate,
  sameCandidate,
  titled,
  isUnchanged,
  syncedEdit,
  type SyncedCandidate,
} from '../../../src/hiring/candidates/candidate.rules.js';
import { readCandidateMetadata } from '../../../src/hiring/candidates/metadata.rules.js';

describe('candidate', () => {
  const AT = new Date('2026-03-01T00:00:00Z');
  const LATER = new Date('2026-03-02T00:00:00Z');
  const FIELDS = { email: 'a@x.example', first_name: 'A', last_name: 'B', external_id: 'E' };
  const metadata = (openingId: string | null): Metadata => ({
    text: JSON.stringify({ job_opening_id: openingId }),
    openingId,
    priority: null,
  });
  const row = (more: Partial<CandidateRow> = {}): CandidateRow => ({
    ...newCandidate(FIELDS, 'cand_1', AT).row,
    ...more,
  });

  describe('newCandidate', () => {
    it.each<[string, object, Partial<CandidateRow>, string | null]>([
      ['without a title', {}, { job_title: null, job_title_set: false, metadata: '{}' }, null],
      ['with a title', { job_title: 'T' }, { job_title: 'T', job_title_set: true }, null],
      ['of an opening', { metadata: metadata('O') }, { job_opening_id: 'O', job_title_set: false }, 'O'],
      [
        'of an opening, with a title',
        { metadata: metadata('O'), job_title: 'T' },
        { job_title: 'T', job_title_set: true },
        null,
      ],
      ['of an opening, with null', { metadata: metadata('O'), job_title: null }, { job_title_set: false }, 'O'],
    ])('%s', (_, more, expected, titleFrom) => {
      const edit = newCandidate({ ...FIELDS, ...more }, 'cand_1', AT);
      expect(edit.titleFrom).toBe(titleFrom);
      expect(edit.row).toMatchObject({
        ...FIELDS,
        id: 'cand_1',
        sequence: 1,
        created_at: AT,
        updated_at: AT,
        ...expected,
      });
    });
  });

  describe('changedCandidate: the origin of the title', () => {
    const follows = { job_title: 'Cook', job_title_set: false, job_opening_id: 'O' };
    const set = { job_title: 'Chef', job_title_set: true, job_opening_id: 'O' };
    it.each<[string, Partial<CandidateRow>, CandidateChange, Partial<CandidateRow>, string | null]>([
      ['nothing about it', follows, { first_name: 'N' }, follows, null],
      ['sent back as read', follows, { job_title: 'Cook' }, follows, null],
      ['null of one that follows', follows, { job_title: null }, follows, null],
      ['set', follows, { job_title: 'Chef' }, set, null],
      ['set already', set, { job_title: 'Boss' }, { ...set, job_title: 'Boss' }, null],
      ['another opening', follows, { metadata: metadata('P') }, { job_title: null, job_opening_id: 'P' }, 'P'],
      ['another opening, set', set, { metadata: metadata('P') }, { ...set, job_opening_id: 'P' }, null],
      ['no opening any more', follows, { metadata: metadata(null) }, { job_title: null, job_opening_id: null }, null],
      ['taken back', set, { job_title: null }, { job_title: null, job_title_set: false }, 'O'],
      ['as read, another opening', follows, { job_title: 'Cook', metadata: metadata('P') }, { job_title: null }, 'P'],
    ])('%s', (_, before, change, expected, titleFrom) => {
      const text = metadata(before.job_opening_id ?? null).text;
      const edit = changedCandidate(row({ metadata: text, ...before }), change, LATER);
      expect(edit.titleFrom).toBe(titleFrom);
      expect(edit.row).toMatchObject({ sequence: 2, created_at: AT, updated_at: LATER, ...expected });
    });
  });

  it('takes the title of the linked opening, and of no other', () => {
    expect(titled({ row: row(), titleFrom: 'O' }, 'Cook').job_title).toBe('Cook');
    expect(titled({ row: row({ job_title: 'Chef' }), titleFrom: null }, 'Cook').job_title).toBe('Chef');
  });

  it.each<[CandidateChange, boolean]>([
    [{}, true],
    [{ ...FIELDS, job_title: null, metadata: { text: '{}', openingId: null, priority: null } }, true],
    [{ email: 'A@x.example' }, false],
    [{ first_name: 'N' }, false],
    [{ last_name: '' }, false],
    [{ external_id: 'e' }, false],
    [{ job_title: 'T' }, false],
    [{ metadata: { text: '{ }', openingId: null, priority: null } }, false],
  ])('compares the fields that a caller can write: %j', (change, same) => {
    expect(sameCandidate(row(), changedCandidate(row(), change, LATER).row)).toBe(same);
  });
});

describe('synced candidate', () => {
  const SYNCED: SyncedCandidate = {
    externalId: 'gh_7',
    connectionId: 'ats_1',
    email: 'ana@example.com',
    firstName: 'Ana',
    lastName: 'Cruz',
    opening: 'gh_4',
    metadata: { ats: 'greenhouse', job_opening_id: 'gh_4' },
    stage: 'Interview',
    status: 'active',
  };
  const MADE = { id: 'cand_1', at: new Date(1_000) };

  function rowOf(before: CandidateRow | undefined, synced: Partial<SyncedCandidate> = {}): CandidateRow {
    const edit = syncedEdit(before, { ...SYNCED, ...synced }, MADE);
    if (typeof edit === 'string') throw new Error(edit);
    return edit.row;
  }
  const API_MADE = {
    ...newCandidate(
      { email: 'a@example.com', first_name: 'A', last_name: 'C', external_id: 'gh_7', job_title: 'Own title' },
      'cand_0',
      new Date(0),
    ).row,
    metadata: '{"note":"ours"}',
  };

  test('makes a candidate that the connection owns', () => {
    const edit = syncedEdit(undefined, SYNCED, MADE);
    expect(edit).toMatchObject({ titleFrom: 'gh_4' });
    expect(rowOf(undefined)).toMatchObject({
      id: 'cand_1',
      external_id: 'gh_7',
      first_name: 'Ana',
      stage: 'Interview',
      ats_status: 'active',
      ats_connection_id: 'ats_1',
      ats_keys: ['ats', 'job_opening_id'],
      job_opening_id: 'gh_4',
    });
  });

  test('adopts a record of the API with its id and metadata, and takes the title from the opening', () => {
    const edit = syncedEdit(API_MADE, SYNCED, MADE);
    expect(edit).toMatchObject({ titleFrom: 'gh_4', row: { id: 'cand_0', job_title: null, job_title_set: false } });
    expect(JSON.parse(rowOf(API_MADE).metadata)).toEqual({ note: 'ours', ats: 'greenhouse', job_opening_id: 'gh_4' });
  });

  test('keeps the title of an adopted record when the ATS names no opening', () => {
    const { opening: _opening, ...silent } = SYNCED;
    const edit = syncedEdit(API_MADE, { ...silent, metadata: { ats: 'greenhouse' } }, MADE) as { row: CandidateRow };
    expect(edit.row).toMatchObject({
      job_title: 'Own title',
      job_title_set: true,
    });
  });

  test('finds the opening that the metadata names by the id of the ATS, also after a change by the API', () => {
    const row = rowOf(undefined, { opening: 'zr_4', metadata: { ats: 'zoho_recruit', job_opening_id: '4' } });
    expect([row.job_opening_id, JSON.parse(row.metadata)]).toEqual([
      'zr_4',
      { ats: 'zoho_recruit', job_opening_id: '4' },
    ]);
    const changed = (text: string): string | null =>
      changedCandidate(row, { metadata: readCandidateMetadata(text, JSON.parse(text) as object) }, new Date(2_000)).row
        .job_opening_id;
    expect(changed('{"ats":"zoho_recruit","job_opening_id":"4","note":"ours"}')).toBe('zr_4');
    expect(changed('{"job_opening_id":"5"}')).toBe('5');
  });

  test('leaves a record to the connection that brought it', () => {
    const before = { ...rowOf(undefined), ats_connection_id: 'ats_2' };
    expect(syncedEdit(before, SYNCED, MADE)).toBe('claimed_by_another_connection');
  });

  test('refuses metadata of more than 16 KiB', () => {
    const metadata = { ats: 'x'.repeat(17 * 1024) };
    expect(syncedEdit(undefined, { ...SYNCED, metadata }, MADE)).toBe('metadata_too_large');
  });

  test('keeps stage and status when the ATS does not send them', () => {
    const { stage: _stage, status: _status, ...person } = SYNCED;
    const edit = syncedEdit({ ...rowOf(undefined), ats_status: 'hired' }, person, MADE);
    expect(edit).toMatchObject({ row: { stage: 'Interview', ats_status: 'hired' } });
  });

  test('recognises a write that changes nothing', () => {
    const before = rowOf(undefined);
    expect(isUnchanged(before, rowOf(before))).toBe(true);
    expect(isUnchanged(before, { ...before, first_name: 'Anna' })).toBe(false);
    expect(isUnchanged(before, { ...before, ats_keys: ['ats'] })).toBe(false);
    expect(isUnchanged({ ...before, ats_connection_id: null }, before)).toBe(false);
    expect(isUnchanged(undefined, before)).toBe(false);
  });
});
