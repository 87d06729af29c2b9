import {
  effectOf,
  type PreviewEffect,
  type Previewed,
  noTotals,
  withEffects,
  type SteppedEffect,
} from '../../../../src/directory-sync/routes/preview/preview.rules.js';
import type { Current, Decision } from '../../../../src/tenancy/identity/held.rules.js';

describe('preview', () => {
  const PERSON = { email: 'a@x.example', first_name: 'A', last_name: 'B', role: 'User', external_id: 'E' };
  const current = (more: Partial<Current> = {}): Current => ({
    person: PERSON,
    status: 'active',
    seat: 'held',
    held: null,
    holdsDeparture: false,
    everActive: true,
    ...more,
  });
  const would = (more: Partial<Decision['inForce']> = {}, rest: Partial<Decision> = {}): Decision => ({
    inForce: { ...PERSON, status: 'active', ...more },
    seat: 'held',
    held: null,
    ...rest,
  });
  const NEW = current({ status: 'inactive', seat: 'none', held: 'preview', everActive: false });
  const OUT = would({ status: 'inactive' }, { seat: 'none' });
  const NOTHING: PreviewEffect = {
    kinds: [],
    fields: [],
    takesSeat: false,
    freesSeat: false,
    leaves: false,
    held: null,
  };

  const rows: [string, Partial<Previewed>, Partial<PreviewEffect>][] = [
  ['a new user', { current: NEW }, { kinds: ['create'], takesSeat: true }],
  ['a new user without a role', { current: NEW, would: would({ status: 'inactive', role: null }, { seat: 'none', held: 'no_role' }) }, { kinds: ['create'], held: 'no_role' }],
  ['an unchanged user', {}, {}],
  ['another name', { would: would({ first_name: 'C' }) }, { kinds: ['update'], fields: ['first_name'] }],
  ['a leaver', { would: OUT }, { kinds: ['deactivate'], fields: ['status'], freesSeat: true, leaves: true }],
  ['a rehire', { current: current({ status: 'inactive', seat: 'none' }) }, { kinds: ['update'], fields: ['status'], takesSeat: true }],
  ['a removed user', { removed: true, would: null }, { kinds: ['delete'], fields: ['status'], freesSeat: true, leaves: true }],
  ['an unchanged unmanaged user', { owner: 'unmanaged' }, { kinds: ['link'] }],
  ['an unmanaged user with another role', { owner: 'unmanaged', would: would({ role: 'Admin' }) }, { kinds: ['link', 'update'], fields: ['role'] }],
  ['a user of the replaced directory, put out', { owner: 'replaced', would: OUT }, { kinds: ['take_over', 'deactivate'], fields: ['status'], freesSeat: true, leaves: true }],
]; // prettier-ignore

  it.each(rows)('%s', (_, of, expected) => {
    const effect = effectOf({ owner: 'own', removed: false, current: current(), would: would(), ...of });
    expect(effect).toEqual({ ...NOTHING, ...expected });
  });
});

describe('plan totals', () => {
  const STEPS: SteppedEffect['steps'] = {
    role: { from: 'User', to: 'User' },
    status: { from: 'active', to: 'active' },
    seat: { from: 'held', to: 'held' },
    console: { from: 'none', to: 'none' },
  };
  const effect = (more: Partial<SteppedEffect>): SteppedEffect => ({
    kinds: [],
    fields: [],
    takesSeat: false,
    freesSeat: false,
    leaves: false,
    held: null,
    steps: STEPS,
    ...more,
  });

  it('adds up kinds, seats, departures and administrators over batches, and leaves the former totals unchanged', () => {
    const first = withEffects(noTotals(), [
      effect({ kinds: ['create'], takesSeat: true }),
      effect({ kinds: ['link', 'update'] }),
    ]);
    const second = withEffects(first, [
      effect({
        kinds: ['take_over', 'deactivate'],
        freesSeat: true,
        leaves: true,
        steps: { ...STEPS, console: { from: 'admin', to: 'none' } },
      }),
    ]);
    expect(first).toEqual({
      kinds: { create: 1, link: 1, take_over: 0, update: 1, deactivate: 0, delete: 0 },
      takeSeat: 1,
      freeSeat: 0,
      leave: 0,
      administrators: 0,
    });
    expect(second).toEqual({
      kinds: { create: 1, link: 1, take_over: 1, update: 1, deactivate: 1, delete: 0 },
      takeSeat: 1,
      freeSeat: 1,
      leave: 1,
      administrators: 1,
    });
  });
});
