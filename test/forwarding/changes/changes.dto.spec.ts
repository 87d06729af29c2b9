import {
  attemptBody,
  changeBody,
  changeId,
  sequenceOf,
  type ChangeRow,
} from '../../../src/forwarding/changes/changes.dto.js';
import { personOf } from '../../support/persons.js';

const AT = new Date('2026-05-01T10:00:00.000Z');
const row: ChangeRow = {
  sequence: '42',
  user_id: 'usr_1',
  kind: 'updated',
  forwarded: true,
  changed: ['last_name'],
  person: personOf('usr_1'),
  source: { request_id: 'req_1', surface: 'scim', directory_id: null, actor: { kind: 'system', id: 's', name: 's' } },
  received_at: AT,
  occurred_at: AT,
  sessions_ended_at: null,
  dismissed: null,
  state: 'pending',
  parked: null,
  parked_detail: null,
  sent_at: null,
  confirmed_at: null,
};

it.each([
  ['chg_42', '42'],
  ['chg_0', null],
  ['chg_042', null],
  ['42', null],
  ['chg_99999999999999999999', null],
])('reads the sequence of %s', (id, sequence) => expect(sequenceOf(id)).toBe(sequence));

it('shows a change, with its error only while it is parked', () => {
  expect(changeBody(row)).toMatchObject({ id: changeId(42), sequence: 42, state: 'pending', external_id: 'x-usr_1' });
  const parked = { ...row, parked: 'refused', parked_detail: 'no' };
  expect(changeBody({ ...parked, state: 'parked' }).error).toEqual({ code: 'refused', detail: 'no' });
  expect(changeBody({ ...parked, state: 'delivered' })).not.toHaveProperty('error');
  expect(changeBody(row)).not.toHaveProperty('dismissed');
});

it('shows a request with its times as text', () => {
  const attempt = { delivery_id: 'd', method: 'POST', path: '/', status: 201, outcome: 'delivered', detail: null };
  const shown = attemptBody({ ...attempt, answer: null, duration_ms: 3, at: AT, sent_at: AT });
  expect(shown).toMatchObject({ ...attempt, at: AT.toISOString(), sent_at: AT.toISOString() });
});
