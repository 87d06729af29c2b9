import {
  clamped,
  isMergeCircle,
  leftOut,
  overOf,
  personAt,
  refusalOfKnown,
  recordResultOf,
  type AtsRecordRow,
  type RecordItem,
} from '../../../../src/integrations/ats/records/record.js';

const time = (minute: number) => new Date(Date.UTC(2026, 2, 2, 9, minute));
const row = (more: Partial<AtsRecordRow> = {}): AtsRecordRow => ({
  remote_id: '7',
  record_id: 'cand_1',
  state: 'live',
  survivor_id: null,
  changed_at: time(10),
  person_at: null,
  brought_by: 'poll',
  seen_in: null,
  ...more,
});
type Candidate = Extract<RecordItem, { kind: 'candidate' }>;
const candidate = (minute: number, person?: number): Candidate => ({
  kind: 'candidate',
  remoteId: '7',
  changedAt: time(minute),
  ...(person === undefined ? {} : { personAt: time(person) }),
  candidate: {} as never,
});
const gone = (survivorId: string | null): RecordItem => ({
  kind: 'gone',
  remoteId: '7',
  changedAt: time(1),
  gone: { kind: 'candidate', remoteId: '7', at: null, survivorId },
});

test('gives the reason why a record has ended', () => {
  expect(
    [undefined, row(), row({ state: 'deleted' }), row({ state: 'merged' }), row({ state: 'erased' })].map(overOf),
  ).toEqual([null, null, 'gone', 'merged', 'erased']);
});

test('refuses an older change of a known record, and every change of an ended one', () => {
  expect(refusalOfKnown(undefined, candidate(1))).toBeNull();
  expect(refusalOfKnown(row(), candidate(10))).toBeNull();
  expect(refusalOfKnown(row(), candidate(9))).toBe('older');
  expect(refusalOfKnown(row({ state: 'deleted' }), candidate(99))).toBe('gone');
});

test('takes an older item when its person is newer', () => {
  expect(refusalOfKnown(row({ person_at: time(3) }), candidate(9, 5))).toBeNull();
  expect([personAt(candidate(9, 5)), personAt(candidate(9))]).toEqual([time(5), time(9)]);
});

test('takes a deletion with any time', () => {
  expect(refusalOfKnown(row(), gone(null))).toBeNull();
});

test('recognises a merge that would close a circle', () => {
  const merged = new Map([['8', row({ remote_id: '8', state: 'merged', survivor_id: '7' })]]);
  expect([
    isMergeCircle(merged, gone('8')),
    isMergeCircle(merged, gone('9')),
    isMergeCircle(merged, gone(null)),
  ]).toEqual([true, false, false]);
});

test('stores no time that is ahead of the clock', () => {
  expect([clamped(time(1), time(2)), clamped(time(3), time(2))]).toEqual([time(1), time(2)]);
});

test('returns the result of an item', () => {
  expect(leftOut('job', '7', 'gone')).toEqual({
    kind: 'job',
    remoteId: '7',
    outcome: 'left_out',
    reason: 'gone',
    recordId: null,
  });
  const done = { externalId: 'gh_7', outcome: 'created', id: 'cand_1', reason: null } as const;
  expect(recordResultOf(candidate(1), done)).toMatchObject({ outcome: 'created', recordId: 'cand_1' });
  const refused = { ...done, outcome: 'refused', reason: 'metadata_too_large' } as const;
  expect(recordResultOf(candidate(1), refused)).toMatchObject({ outcome: 'left_out', reason: 'metadata_too_large' });
});
