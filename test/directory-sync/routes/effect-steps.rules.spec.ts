import { losesConsole, stepsOf } from '../../../src/directory-sync/routes/effect-steps.rules.js';
import type { Current, Decision } from '../../../src/tenancy/identity/held.rules.js';

const PERSON = { email: 'a@x.example', first_name: 'A', last_name: 'B', role: 'Admin', external_id: 'E' };
const CURRENT: Current = {
  person: PERSON,
  status: 'active',
  seat: 'held',
  held: null,
  holdsDeparture: false,
  everActive: true,
};
const NEW: Current = { ...CURRENT, status: 'inactive', seat: 'none', everActive: false };
const would = (
  role: string | null,
  status: 'active' | 'inactive' = 'active',
  seat: Decision['seat'] = 'held',
): Decision => {
  return { inForce: { ...PERSON, role, status }, seat, held: null };
};
const TENANT = {
  ownerUserId: 'usr_owner',
  roles: new Map([
    ['Admin', { takesSeat: true, console: 'admin' as const }],
    ['Auditor', { takesSeat: true, console: 'auditor' as const }],
    ['User', { takesSeat: true, console: 'none' as const }],
  ]),
};
const rows: [string, Current, Decision | null, object, boolean][] = [
  ['the same role', CURRENT, would('Admin'), { console: { from: 'admin', to: 'admin' } }, false],
  ['another role', CURRENT, would('User'), { role: { from: 'Admin', to: 'User' }, console: { from: 'admin', to: 'none' } }, true],
  ['a role that only reads', CURRENT, would('Auditor'), { console: { from: 'admin', to: 'auditor' } }, true],
  ['no role', CURRENT, would(null, 'inactive', 'none'), { status: { from: 'active', to: 'inactive' }, seat: { from: 'held', to: 'none' } }, true],
  ['a deletion', CURRENT, null, { role: { from: 'Admin', to: null }, status: { from: 'active', to: 'deleted' }, seat: { from: 'held', to: 'none' } }, true],
  ['a new user', NEW, would('Admin'), { role: { from: null, to: 'Admin' }, status: { from: null, to: 'active' }, console: { from: 'none', to: 'admin' } }, false],
]; // prettier-ignore

it.each(rows)('shows what a user is now and then: %s', (_, current, decision, expected, loses) => {
  const steps = stepsOf(TENANT, 'usr_1', current, decision);
  expect(steps).toMatchObject(expected);
  expect(losesConsole(steps)).toBe(loses);
});

it('leaves the console to the owner with any role, as long as the owner is in force', () => {
  expect(losesConsole(stepsOf(TENANT, 'usr_owner', CURRENT, would('User')))).toBe(false);
  expect(losesConsole(stepsOf(TENANT, 'usr_owner', CURRENT, would('User', 'inactive')))).toBe(true);
});
