import type { CandidateChange, CandidateRow, Metadata } from '../../../src/hiring/candidates/candidate.js';
import {
  changedCandidate,
  newCandidate,
  sameCandidate,
  titled,
} from '../../../src/hiring/candidates/candidate.rules.js';

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
