import {
  newestOf,
  reasonOfWaiting,
  type PlacedEntry,
  type CandidateEntryKind,
} from '../../../src/overview/history/candidate-history.service.js';

const entry = (kind: CandidateEntryKind, place: string, second: number): PlacedEntry => ({
  place,
  body: {
    id: place,
    at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
    kind,
    what: 'x',
    state: null,
    waits: false,
    reason: null,
    detail: null,
    ats_connection_id: null,
    interview_id: null,
  },
});
const LISTS = {
  event: [entry('event', 'e3', 9), entry('event', 'e2', 1)],
  ats_event: [entry('ats_event', 'a1', 5)],
  // The order of a list is that of its ids, also where a time is out of order.
  interview: [entry('interview', 'i2', 2), entry('interview', 'i1', 3)],
  ats_write: [],
};

it('merges the lists by time, and keeps the order of each list', () => {
  expect(newestOf(LISTS, 10).entries.map(({ id }) => id)).toEqual(['e3', 'a1', 'i2', 'i1', 'e2']);
});

it('returns the last place of each list that is shown', () => {
  expect(newestOf(LISTS, 3)).toMatchObject({ shown: { event: 'e3', ats_event: 'a1', interview: 'i2' } });
});

it.each([
  ['paused', { paused: true }],
  ['reconnect_needed', { problems: [{ problem: 'grant', reason: 'grant_revoked' }] }],
  ['writer_gone', { problems: [{ problem: 'writer', reason: 'writer_gone' }] }],
  ['no_writer', { lacksWriter: true }],
  // A failure of reads keeps no write.
  [null, { problems: [{ problem: 'reads', reason: 'rate_limited' }] }],
])('names %s when writes wait for it', (reason, more) => {
  expect(reasonOfWaiting({ paused: false, problems: [], lacksWriter: false, ...more })).toBe(reason);
});
