import { whatHappened } from '../../../src/overview/history/entry.mapping.js';
import {
  ENTRY_KINDS,
  keyBound,
  timelineMoment,
  readTimelinePlace,
  timelinePlaceText,
  type TimelinePlace,
} from '../../../src/overview/history/timeline.rules.js';

const place: TimelinePlace = { at: '2026-01-31T12:00:00.123456Z', kind: 'change', key: '0000000000000000042' };

it('reads a place back from its cursor', () => {
  for (const key of ['7', '', 'con_1_ab', 'with blanks in it']) {
    expect(readTimelinePlace(timelinePlaceText({ ...place, key }))).toEqual({ ...place, key });
  }
  expect(readTimelinePlace(null)).toBeNull();
});

it('begins a list at the end of its order', () => {
  expect([timelineMoment(null, 'desc'), timelineMoment(null, 'asc')]).toEqual(['infinity', '-infinity']);
  expect([timelineMoment(place, 'desc'), timelineMoment(place, 'asc')]).toEqual([place.at, place.at]);
});

describe('entries of the same moment as the place', () => {
  const later = ENTRY_KINDS.slice(ENTRY_KINDS.indexOf('change') + 1);
  const earlier = ENTRY_KINDS.slice(0, ENTRY_KINDS.indexOf('change'));
  const some = ['0', 'con_x', 'usr_x', 'ses_zzz'];

  it('downwards, keys below are still to come, and keys above are read', () => {
    for (const kind of earlier) for (const key of some) expect(key < keyBound(place, kind, 'desc')).toBe(true);
    for (const kind of later) for (const key of some) expect(key < keyBound(place, kind, 'desc')).toBe(false);
  });

  it('upwards, keys above are still to come, and keys below are read', () => {
    for (const kind of later) for (const key of some) expect(key > keyBound(place, kind, 'asc')).toBe(true);
    for (const kind of earlier) for (const key of some) expect(key > keyBound(place, kind, 'asc')).toBe(false);
  });

  it('of the same kind, the key decides; without a place no key is read', () => {
    expect([keyBound(place, 'change', 'desc'), keyBound(place, 'change', 'asc')]).toEqual([place.key, place.key]);
    for (const key of some) {
      expect([key < keyBound(null, 'change', 'desc'), key > keyBound(null, 'change', 'asc')]).toEqual([true, true]);
    }
  });
});

it.each([
  ['change', { event: 'updated', changed: ['role'], from: null, to: { role: 'User' } }, 'updated role User'],
  ['delivery', { method: 'PATCH', path: '/v1/users/1', status: null, outcome: 'unavailable', detail: 'timeout' }, 'PATCH /v1/users/1 unavailable timeout'],
  ['seat', { event: 'claim', role: 'User', reason: 'created' }, 'claim User created'],
  ['sign_in', { event: 'sign-in', outcome: 'refused', reason: 'no_seat', account: 'a@e.com' }, 'sign-in refused no_seat a@e.com'],
  ['session', { ended_at: null, end_reason: null }, 'began'],
  ['session', { ended_at: '2026-01-31T12:00:00.000Z', end_reason: 'deactivated' }, 'began, ended 2026-01-31T12:00:00.000Z deactivated'],
  ['binding', { made_by: 'claim', made_of: 'x' }, 'claim x'],
  ['audit', { event: 'sessions.ended' }, 'all sessions ended by an admin'],
  ['removed', { user_name: 'a@e.com' }, 'a@e.com'],
] as const)('describes an entry in a few words: %s %j', (kind, fields, words) => {
  expect(whatHappened({ kind, fields })).toBe(words);
}); // prettier-ignore
