import { candidateOfForm } from '../../../../../src/integrations/ats/connectors/zoho-recruit/zoho-recruit-form.mapping.js';
import { NotUnderstood } from '../../../../../src/integrations/ats/connectors/connector.js';

const FORM = { candidate_id: '480912000001234567', first_name: 'Zoë', last_name: 'Müller', email: 'zoe@example.com' };

test('reads the fields of the documentation', () => {
  const more = { job_opening_id: '480912000000987654', job_title: 'Backend Engineer', ats_priority: 'high' };
  expect(
    candidateOfForm({ ...FORM, ...more, status: 'Interview-Scheduled', modified_time: '2026-03-02T10:15:28+01:00' }),
  ).toEqual({
    remoteId: '480912000001234567',
    firstName: 'Zoë',
    lastName: 'Müller',
    email: 'zoe@example.com',
    jobRemoteId: '480912000000987654',
    job: { remoteId: '480912000000987654', title: 'Backend Engineer', status: 'open', changedAt: new Date(0) },
    status: 'active',
    stage: { id: 'Interview-Scheduled', name: 'Interview-Scheduled' },
    metadata: { job_opening_id: '480912000000987654', ats_priority: 'high' },
    changedAt: new Date('2026-03-02T09:15:28Z'),
  });
});

test('reads the same fields under the names that Zoho offers', () => {
  const names = { 'Candidates Id': FORM.candidate_id, 'First Name': 'Zoë', Last_Name: 'Müller', EMAIL: FORM.email };
  expect(candidateOfForm(names)).toEqual(candidateOfForm(FORM));
});

test('leaves out the opening, the state and the time when the form has none', () => {
  expect(candidateOfForm(FORM)).toEqual({
    remoteId: '480912000001234567',
    firstName: 'Zoë',
    lastName: 'Müller',
    email: 'zoe@example.com',
    metadata: {},
    changedAt: null,
  });
});

test('splits a full name when the form has no other', () => {
  const { first_name: _first, last_name: _last, ...rest } = FORM;
  expect(candidateOfForm({ ...rest, name: 'Ana de la Cruz' })).toMatchObject({
    firstName: 'Ana',
    lastName: 'de la Cruz',
  });
  expect(candidateOfForm({ ...rest, last_name: 'Teller' })).toMatchObject({ firstName: 'Teller', lastName: '' });
});

test.each([
  ['no id', {}],
  ['the number for people in place of the id', { candidate_id: 'ZR_88_CAND' }],
  ['no name', { candidate_id: '7' }],
])('does not understand a form with %s', (_what, form) => {
  expect(() => candidateOfForm(form)).toThrow(NotUnderstood);
});
