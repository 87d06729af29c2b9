import {
  effectOfRules,
  NO_TOTALS,
  noteOf,
  withUsers,
  type RulesPlanned,
  type RulesEffect,
} from '../../../../src/directory-sync/routes/role-tasks/rules-plan.rules.js';
import type { Current, Decision } from '../../../../src/tenancy/identity/held.rules.js';

const PERSON = { email: 'a@x.example', first_name: 'A', last_name: 'B', role: 'User', external_id: 'E' };
const current = (role: string | null, seat: Current['seat'], more: Partial<Current> = {}): Current => ({
  person: { ...PERSON, role },
  status: 'active',
  seat,
  held: null,
  holdsDeparture: false,
  everActive: true,
  ...more,
});
const decision = (role: string | null, seat: Decision['seat'], status: 'active' | 'inactive' = 'active'): Decision => ({
  inForce: { ...PERSON, role, status },
  seat,
  held: null,
});

const SAME = decision('User', 'held');
const rows: [string, Current, Decision, Decision, RulesEffect | null][] = [
  ['the same role', current('User', 'held'), SAME, SAME, null],
  ['another role with a seat', current('User', 'held'), SAME, decision('Admin', 'held'), { from: 'User', to: 'Admin', seat: 'none', leaves: false }],
  ['a role without a seat', current('User', 'held'), SAME, decision('Observer', 'none'), { from: 'User', to: 'Observer', seat: 'loses', leaves: true }],
  ['a role that takes a seat', current('Observer', 'none'), decision('Observer', 'none'), SAME, { from: 'Observer', to: 'User', seat: 'gains', leaves: false }],
  ['no role', current('User', 'held'), SAME, decision(null, 'none', 'inactive'), { from: 'User', to: null, seat: 'loses', leaves: true }],
  ['the first role', current(null, 'none', { status: 'inactive', held: 'no_role' }), decision(null, 'none', 'inactive'), SAME, { from: null, to: 'User', seat: 'gains', leaves: false }],
  ['a user who waits for a seat under both', current('User', 'waiting', { status: 'inactive', held: 'no_seat' }), SAME, SAME, null],
  ['a user who has the new role already', current('Admin', 'held'), SAME, decision('Admin', 'held'), null],
]; // prettier-ignore

it.each(rows)('shows the effect of %s', (_, now, present, changed, effect) => {
  expect(effectOfRules(now, present, changed)).toEqual(effect);
});

const STEPS: RulesPlanned['steps'] = {
  role: { from: 'User', to: 'Admin' },
  status: { from: 'active', to: 'active' },
  seat: { from: 'held', to: 'held' },
  console: { from: 'none', to: 'admin' },
};
const DEMOTED: RulesPlanned['steps'] = { ...STEPS, console: { from: 'admin', to: 'none' } };
const planned = (more: Partial<RulesPlanned>): RulesPlanned => ({
  user_id: 'usr_1',
  user_name: 'ann',
  from: 'User',
  to: 'Admin',
  seat: 'none',
  leaves: false,
  steps: STEPS,
  ...more,
});

it('counts users by what happens to their seats, those who leave, and administrators who lose the console', () => {
  const first = withUsers(NO_TOTALS, [planned({}), planned({ seat: 'gains' })]);
  expect(
    withUsers(first, [planned({ seat: 'loses', leaves: true }), planned({ seat: 'loses', steps: DEMOTED })]),
  ).toEqual({
    total: 4,
    take_seat: 1,
    free_seat: 2,
    leavers: 1,
    administrators: 1,
  });
});

it.each<[Partial<RulesPlanned>, string, string]>([
  [{}, 'role_changes', 'ann has the role User and would have Admin.'],
  [{ from: null, seat: 'gains' }, 'takes_seat', 'ann has no role and would have Admin, and would need a seat.'],
  [
    { to: null, seat: 'loses' },
    'frees_seat',
    'ann has the role User and would have none, and would give the seat back.',
  ],
  [
    { from: 'Admin', to: 'User', steps: DEMOTED },
    'loses_console',
    'ann has the role Admin and would have User, and would lose the console.',
  ],
])('notes a user of the kind %j', (more, reason, detail) => {
  expect(noteOf(planned(more))).toMatchObject({ id: 'usr_1', item: { user_name: 'ann' }, reason, detail });
});
