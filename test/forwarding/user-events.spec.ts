import { userEvent, type ChangeRecord } from '../../src/forwarding/user-events.js';

const CHANGE: ChangeRecord = {
  sequence: '42',
  user_id: 'usr_1',
  kind: 'updated',
  changed: ['last_name'],
  // The keys of stored JSON are in the database's order.
  person: { role: 'User', email: 'a@example.com', last_name: 'B', first_name: 'A', external_id: 'x' },
  status: 'active',
  linked: false,
  forwarded: true,
  ends_sessions: false,
  occurred_at: new Date('2026-01-02T03:04:05.000Z'),
};

it('renders the user of the change with its keys in one order', () => {
  expect(userEvent(CHANGE)).toEqual({
    sequence: '42',
    event: 'user.updated',
    at: CHANGE.occurred_at,
    record: 'usr_1',
    data:
      '{"email":"a@example.com","first_name":"A","last_name":"B","role":"User","external_id":"x","id":"usr_1",' +
      '"status":"active","changed":["last_name"],"sequence":42}',
  });
});

it('marks a change as a link', () => {
  const { data } = userEvent({ ...CHANGE, linked: true, changed: [] });
  expect(data).toContain('"changed":[],"linked":true,"sequence":42}');
});

it('has the ids alone when the body would be over 20 kB', () => {
  const { data } = userEvent({ ...CHANGE, person: { ...CHANGE.person, first_name: 'x'.repeat(20_000) } });
  expect(JSON.parse(data)).toEqual({ id: 'usr_1', external_id: 'x', sequence: 42 });
});

it.each<[name: string, change: Partial<ChangeRecord>, status: string]>([
  ['a deletion', { kind: 'deleted' }, 'deleted'],
  ['a deactivation', { kind: 'deactivated' }, 'inactive'],
  ['a reactivation', { kind: 'reactivated' }, 'active'],
  ['a create that was forwarded', { kind: 'created' }, 'active'],
  ['a create that was held', { kind: 'created', forwarded: false }, 'inactive'],
  ['an update', {}, 'active'],
  ['an update that ended sessions', { ends_sessions: true }, 'inactive'],
  ['an update of the role', { ends_sessions: true, changed: ['role'] }, 'active'],
])('finds the status after %s when the change was stored without one', (_, change, status) => {
  expect(JSON.parse(userEvent({ ...CHANGE, status: null, ...change }).data)).toMatchObject({ status });
});
