import { openingRefusal, personRefusal } from '../../../../src/integrations/ats/records/selection.rules.js';
import { takesOf } from '../../../../src/integrations/ats/connections/ats-settings.rules.js';
import type { AtsCandidate } from '../../../../src/integrations/ats/connectors/ats-records.js';

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
