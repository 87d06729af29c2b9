import {
  settledVerdict,
  triedAgain,
  unreadable,
  verdictsOf,
} from '../../../../../src/integrations/ats/inbound/apply/verdict.rules.js';
import { AtsFailure } from '../../../../../src/integrations/ats/api/ats-api.js';
import type { ReadEvent } from '../../../../../src/integrations/ats/inbound/apply/plan.rules.js';
import type { RecordResult } from '../../../../../src/integrations/ats/records/record.js';

const AT = new Date('2026-03-02T09:00:00Z');
const event = (id: string, effect = 'candidate', tries = 0): ReadEvent =>
  ({ id, at: AT, tries, signed: true, reading: { effect: { kind: effect } } }) as ReadEvent;
const result = (outcome: RecordResult['outcome'], reason: RecordResult['reason'] = null): RecordResult => ({
  kind: 'candidate',
  remoteId: '7',
  outcome,
  reason,
  recordId: null,
});
const statesOf = (...given: Parameters<typeof verdictsOf>) =>
  verdictsOf(...given).map(({ state, reason, erase }) => [state, reason, erase]);

test('erases the body of an event without an effect, and keeps that of a failed one', () => {
  expect(settledVerdict(event('1'), 'no_effect', 'no_data')).toMatchObject({ erase: true, tried: false });
  expect(settledVerdict(event('1'), 'failed', 'bad_id', 'why')).toMatchObject({ erase: false, detail: 'why' });
});

test('fails an event after three tries', () => {
  const states = [0, 1, 2].map((tries) => triedAgain(event('1', 'candidate', tries), 'r', 'd').state);
  expect(states).toEqual(['waiting', 'waiting', 'failed']);
});

test('names the failure of the ATS when a record cannot be read', () => {
  const failure = new AtsFailure('forbidden', 'code', 'The ATS refuses.');
  expect(unreadable(event('1'), failure)).toMatchObject({ reason: 'ats_forbidden', detail: 'The ATS refuses.' });
});

test('settles the events of one record by the result of the record', () => {
  const [older, newer] = [event('1'), event('2')];
  expect(statesOf([older, newer], result('updated'), newer)).toEqual([
    ['no_effect', 'older', true],
    ['applied', null, false],
  ]);
  expect(statesOf([newer], result('unchanged'), newer)).toEqual([['no_effect', 'unchanged', true]]);
  expect(statesOf([older, newer], result('created'), null)).toEqual([
    ['applied', null, false],
    ['applied', null, false],
  ]);
  expect(statesOf([newer], result('deleted'), newer)).toEqual([['applied', null, true]]);
});

test('reports that the record still exists when a deletion is not confirmed', () => {
  expect(statesOf([event('1', 'gone')], result('unchanged'), null)).toEqual([['no_effect', 'still_there', true]]);
});

test('fails an event that needs an admin, and no other one that is left out', () => {
  expect(statesOf([event('1')], result('left_out', 'bad_id'), null)).toEqual([['failed', 'bad_id', false]]);
  expect(statesOf([event('1')], result('left_out', 'no_open_job'), null)).toEqual([['no_effect', 'no_open_job', true]]);
});
