import type { AtsCandidate } from '../../../../src/integrations/ats/connectors/connector.js';
import {
  isBeside,
  newerOf,
  personAlone,
  tellsApplication,
} from '../../../../src/integrations/ats/records/news.rules.js';
import type { RecordItem } from '../../../../src/integrations/ats/records/record.js';

const PERSON: AtsCandidate = { remoteId: '7', firstName: 'Ana', lastName: 'Cruz', email: null, changedAt: null };
const item = (application: string, status: 'active' | 'rejected', minute: number): RecordItem => ({
  kind: 'candidate',
  remoteId: '7',
  changedAt: new Date(Date.UTC(2026, 2, 2, 9, minute)),
  candidate: { ...PERSON, status, metadata: { application_id: application } },
});

test.each<[string, RecordItem, RecordItem, 'before' | 'after']>([
  ['the newer item, of two of one application', item('a', 'active', 2), item('a', 'rejected', 1), 'before'],
  ['the later item, of two with one time', item('a', 'active', 1), item('a', 'rejected', 1), 'after'],
  [
    'the active application, when one that ended comes later',
    item('a', 'active', 1),
    item('b', 'rejected', 2),
    'before',
  ],
  [
    'the active application, when one that ended came before',
    item('b', 'rejected', 2),
    item('a', 'active', 1),
    'after',
  ],
  ['the newer application, when both are active', item('a', 'active', 1), item('b', 'active', 2), 'after'],
])('keeps %s', (_what, before, after, kept) => {
  expect(newerOf(before, after)).toBe({ before, after }[kept]);
});

test('keeps the item when the record comes for the first time', () => {
  const first = item('a', 'active', 1);
  expect(newerOf(undefined, first)).toBe(first);
});

test('recognises an application that ended beside an active one', () => {
  const ended: AtsCandidate = { ...PERSON, status: 'rejected', metadata: { application_id: 'b' } };
  expect(isBeside(ended, { id: 'a', status: 'active' })).toBe(true);
  expect(isBeside(ended, { id: 'b', status: 'active' })).toBe(false);
  expect(isBeside(ended, { id: 'a', status: 'hired' })).toBe(false);
  expect(isBeside({ ...ended, metadata: {} }, { id: 'a', status: 'active' })).toBe(false);
});

test('decides whether an item has more than the person', () => {
  expect(tellsApplication(PERSON)).toBe(false);
  expect(
    [{ jobRemoteId: null }, { stage: null }, { status: 'active' as const }].map((more) =>
      tellsApplication({ ...PERSON, ...more }),
    ),
  ).toEqual([true, true, true]);
  expect(personAlone({ ...PERSON, status: 'active', stage: null, metadata: { a: 'b' } })).toEqual(PERSON);
});
