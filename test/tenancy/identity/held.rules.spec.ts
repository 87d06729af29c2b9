import {
  decideInForce,
  wantsSeat,
  type Circumstances,
  type Current,
  type Written,
} from '../../../src/tenancy/identity/held.rules.js';
import type { HeldReason, Person } from '../../../src/tenancy/identity/person.js';

const PERSON: Person = { email: 'new@x.example', first_name: 'New', last_name: 'N', role: 'User', external_id: 'E' };
const OLD: Person = { email: 'old@x.example', first_name: 'Old', last_name: 'O', role: 'User', external_id: 'E' };
const written = (more: Partial<Person> = {}, active = true): Written => ({
  active,
  person: { ...PERSON, ...more },
  seatlessRole: null,
});
const CLEAR: Circumstances = {
  emailTaken: false,
  externalIdTaken: false,
  formerTaken: false,
  roleTakesSeat: true,
  seatFree: true,
  preview: false,
  superseded: false,
  isProtected: false,
  guardReached: false,
  changesReached: false,
  renamed: false,
  released: null,
};
const current = (more: Partial<Current> = {}): Current => ({
  person: OLD,
  status: 'active',
  seat: 'held',
  held: null,
  holdsDeparture: false,
  everActive: true,
  ...more,
});
const INACTIVE = current({ status: 'inactive', seat: 'none' });
const NEVER = current({ status: 'inactive', seat: 'none', held: 'email_taken', everActive: false });
const WAITING = current({ status: 'inactive', seat: 'waiting', held: 'no_seat', everActive: false });

type Row = [string, Written, Current | null, Partial<Circumstances>, [string, string, HeldReason | null, Person]];
const rows: Row[] = [
  ['new: in force, with a seat', written(), null, {}, ['active', 'held', null, PERSON]],
  [
    'new, of a role without a seat',
    written(),
    null,
    { roleTakesSeat: false, seatFree: false },
    ['active', 'none', null, PERSON],
  ],
  ['new and inactive', written({}, false), null, {}, ['inactive', 'none', null, PERSON]],
  ['new, without a seat: waits', written(), null, { seatFree: false }, ['inactive', 'waiting', 'no_seat', PERSON]],
  [
    'new, without an e-mail: kept, holds a seat',
    written({ email: null }),
    null,
    {},
    ['active', 'held', 'no_email', { ...PERSON, email: null }],
  ],
  [
    'new, without a role: no seat yet',
    written({ role: null }),
    null,
    {},
    ['inactive', 'none', 'no_role', { ...PERSON, role: null }],
  ],
  [
    'new, with another user’s e-mail',
    written(),
    null,
    { emailTaken: true },
    ['inactive', 'none', 'email_taken', PERSON],
  ],
  [
    'new, with another user’s key',
    written(),
    null,
    { externalIdTaken: true },
    ['inactive', 'none', 'external_id_taken', PERSON],
  ],
  [
    'new, with both: the e-mail is named',
    written(),
    null,
    { emailTaken: true, externalIdTaken: true },
    ['inactive', 'none', 'email_taken', PERSON],
  ],
  [
    'new, with another user’s e-mail and no seat: held before the seat is asked for',
    written(),
    null,
    { emailTaken: true, seatFree: false },
    ['inactive', 'none', 'email_taken', PERSON],
  ],
  ['new in a preview', written(), null, { preview: true }, ['inactive', 'none', 'preview', PERSON]],
  [
    'new in a directory that is replaced',
    written(),
    null,
    { superseded: true },
    ['inactive', 'none', 'superseded', PERSON],
  ],
  ['a change comes into force', written(), current(), {}, ['active', 'held', null, PERSON]],
  [
    'a change of who holds a seat needs none',
    written(),
    current(),
    { seatFree: false },
    ['active', 'held', null, PERSON],
  ],
  ['to a role without a seat', written(), current(), { roleTakesSeat: false }, ['active', 'none', null, PERSON]],
  [
    'of a role that takes a seat by now, where there is none: waits',
    written(),
    current({ seat: 'none' }),
    { seatFree: false },
    ['active', 'waiting', 'no_seat', PERSON],
  ],
  [
    'to another user’s e-mail: keeps the former one, all else changes',
    written({ role: 'Admin' }),
    current(),
    { emailTaken: true },
    ['active', 'held', 'email_taken', { ...PERSON, role: 'Admin', email: OLD.email }],
  ],
  [
    'to another user’s key: keeps the former one, all else changes',
    written({ external_id: 'F' }),
    current(),
    { externalIdTaken: true },
    ['active', 'held', 'external_id_taken', PERSON],
  ],
  [
    'to another user’s e-mail and key: keeps both',
    written({ external_id: 'F' }),
    current(),
    { emailTaken: true, externalIdTaken: true },
    ['active', 'held', 'email_taken', { ...PERSON, email: OLD.email }],
  ],
  [
    'to another user’s e-mail and a role without a seat: the seat is free',
    written({ role: 'Guest' }),
    current(),
    { emailTaken: true, roleTakesSeat: false },
    ['active', 'none', 'email_taken', { ...PERSON, role: 'Guest', email: OLD.email }],
  ],
  [
    'to another user’s e-mail and no role: out of force',
    written({ role: null }),
    current(),
    { emailTaken: true },
    ['inactive', 'none', 'no_role', { ...PERSON, role: null }],
  ],
  [
    'to another user’s e-mail and a role that waits for a seat',
    { ...written(), seatlessRole: 'Guest' },
    current({ person: { ...OLD, role: 'Guest' }, seat: 'none' }),
    { emailTaken: true, seatFree: false },
    ['active', 'waiting', 'email_taken', { ...PERSON, role: 'Guest', email: OLD.email }],
  ],
  ['to no e-mail', written({ email: null }), current(), {}, ['active', 'held', 'no_email', { ...PERSON, email: null }]],
  [
    'to no role: out of force',
    written({ role: null }),
    current(),
    {},
    ['inactive', 'none', 'no_role', { ...PERSON, role: null }],
  ],
  ['deactivated', written({}, false), current(), {}, ['inactive', 'none', null, PERSON]],
  [
    'deactivated with another user’s e-mail: is deactivated all the same',
    written({}, false),
    current(),
    { emailTaken: true },
    ['inactive', 'none', null, PERSON],
  ],
  [
    'the owner, deactivated by a directory: stays',
    written({}, false),
    current(),
    { isProtected: true },
    ['active', 'held', 'protected', OLD],
  ],
  [
    'the owner, released',
    written({}, false),
    current(),
    { isProtected: true, released: 'protected' },
    ['inactive', 'none', null, PERSON],
  ],
  [
    'the owner, who loses the role: stays',
    written({ role: null }),
    current(),
    { isProtected: true },
    ['active', 'held', 'protected', OLD],
  ],
  [
    'the owner, who loses the role, released',
    written({ role: null }),
    current(),
    { isProtected: true, released: 'protected' },
    ['inactive', 'none', 'no_role', { ...PERSON, role: null }],
  ],
  [
    'the owner, put out by a directory in preview: the first reason is shown',
    written({}, false),
    current(),
    { isProtected: true, preview: true },
    ['active', 'held', 'preview', OLD],
  ],
  ['the owner, changed', written(), current(), { isProtected: true }, ['active', 'held', null, PERSON]],
  ['reactivated', written(), INACTIVE, {}, ['active', 'held', null, PERSON]],
  [
    'reactivated, without a seat: inactive, and waits',
    written(),
    INACTIVE,
    { seatFree: false },
    ['inactive', 'waiting', 'no_seat', PERSON],
  ],
  [
    'reactivated with another user’s e-mail: has the former one',
    written(),
    INACTIVE,
    { emailTaken: true },
    ['active', 'held', 'email_taken', { ...PERSON, email: OLD.email }],
  ],
  [
    'reactivated with another user’s e-mail, and a third user has the former one',
    written(),
    INACTIVE,
    { emailTaken: true, formerTaken: true },
    ['inactive', 'none', 'email_taken', { ...PERSON, email: OLD.email }],
  ],
  [
    'to another role that waits for a seat: has a role that is given and takes none',
    { ...written(), seatlessRole: 'Guest' },
    current({ person: { ...OLD, role: 'Auditor' }, seat: 'none' }),
    { seatFree: false },
    ['active', 'waiting', 'no_seat', { ...PERSON, role: 'Guest' }],
  ],
  [
    'to another role that waits for a seat, and none is given that takes none: out of force',
    written(),
    current({ person: { ...OLD, role: 'Auditor' }, seat: 'none' }),
    { seatFree: false },
    ['inactive', 'waiting', 'no_seat', PERSON],
  ],
  [
    'a protected user whose new role waits for a seat: stays',
    written(),
    current({ person: { ...OLD, role: 'Auditor' }, seat: 'none' }),
    { seatFree: false, isProtected: true },
    ['active', 'none', 'protected', { ...OLD, role: 'Auditor' }],
  ],
  ['held since the start, and the address is free', written(), NEVER, {}, ['active', 'held', null, PERSON]],
  [
    'held since the start, and still taken: shown as written',
    written(),
    NEVER,
    { emailTaken: true },
    ['inactive', 'none', 'email_taken', PERSON],
  ],
  ['waiting, and there is a seat', written(), WAITING, {}, ['active', 'held', null, PERSON]],
  ['waiting, and there is none', written(), WAITING, { seatFree: false }, ['inactive', 'waiting', 'no_seat', PERSON]],
  [
    'waiting, and let in by an admin',
    written(),
    WAITING,
    { seatFree: false, released: 'no_seat' },
    ['active', 'held', null, PERSON],
  ],
  [
    'waiting, and now with another user’s e-mail: waits no more',
    written(),
    WAITING,
    { emailTaken: true },
    ['inactive', 'none', 'email_taken', PERSON],
  ],
  [
    'a preview that would change nothing holds no user',
    { active: true, person: OLD, seatlessRole: null },
    current(),
    { preview: true },
    ['active', 'held', null, OLD],
  ],
  [
    'nor a leaver whom it would leave so',
    { active: false, person: OLD, seatlessRole: null },
    INACTIVE,
    { preview: true },
    ['inactive', 'none', null, OLD],
  ],
  [
    'a preview of a user without an e-mail, who stays so',
    { active: true, person: { ...OLD, email: null }, seatlessRole: null },
    current({ person: { ...OLD, email: null }, held: 'no_email' }),
    { preview: true },
    ['active', 'held', 'no_email', { ...OLD, email: null }],
  ],
  [
    'a leaver who would come back, written again in a preview: not a change',
    written(),
    current({ status: 'inactive', seat: 'none', held: 'preview' }),
    { preview: true },
    ['inactive', 'none', 'preview', OLD],
  ],
  ['a preview changes nothing', written(), current(), { preview: true }, ['active', 'held', 'preview', OLD]],
  ['nor does it put anybody out', written({}, false), current(), { preview: true }, ['active', 'held', 'preview', OLD]],
  [
    'nor does a directory that is replaced',
    written({}, false),
    current(),
    { superseded: true },
    ['active', 'held', 'superseded', OLD],
  ],
];

describe('the effective state, and the reason of a hold', () => {
  it.each(rows)('%s', (_, what, now, around, [status, seat, held, person]) => {
    expect(decideInForce(what, now, { ...CLEAR, ...around })).toEqual({ inForce: { ...person, status }, seat, held });
  });

  it('only active users have a seat, and every active user of a paid role has one, unless held', () => {
    for (const [, what, now, around] of rows) {
      const { inForce, seat, held } = decideInForce(what, now, { ...CLEAR, ...around });
      if (seat === 'held') expect(inForce.status).toBe('active');
      if (inForce.status === 'active' && (around.roleTakesSeat ?? true) && held === null) expect(seat).toBe('held');
      if (seat === 'waiting') expect(['no_seat', 'email_taken', 'external_id_taken']).toContain(held);
    }
  });
});

describe('users that need a seat', () => {
  it.each<[string, Written, Current | null, boolean, boolean]>([
    ['a new user', written(), null, true, true],
    ['of a role without one', written(), null, false, false],
    ['inactive', written({}, false), null, true, false],
    ['without a role', written({ role: null }), null, true, false],
    ['who holds one', written(), current(), true, false],
    ['who waits', written(), WAITING, true, true],
    ['who had one', written(), INACTIVE, true, true],
  ])('%s', (_, what, now, takes, expected) => {
    expect(wantsSeat(what, now, takes)).toBe(expected);
  });
});
