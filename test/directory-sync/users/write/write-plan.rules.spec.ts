import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';
import {
  NO_CONFLICTS,
  type Conflicts,
  type Edit,
  type WriteCase,
  type WritingDirectory,
} from '../../../../src/directory-sync/users/write/write-case.js';
import { planWrite, type WritePlan } from '../../../../src/directory-sync/users/write/write-plan.rules.js';
import type { HeldReason } from '../../../../src/tenancy/identity/person.js';
import { caseOf, DIRECTORY, draft, STAMP, stored } from './support.js';

const creation = (about: WriteCase, conflicts: Partial<Conflicts> = {}): WritePlan =>
  planWrite({ kind: 'create', about }, { ...NO_CONFLICTS, ...conflicts }, STAMP)!;

const edited = (edit: Edit, row = stored(), more: Partial<WriteCase> = {}): WritePlan | null => {
  const about = { ...caseOf({ draft: edit.draft, released: row.released, ...more }), row };
  return planWrite({ kind: 'edit', about, edit }, NO_CONFLICTS, STAMP);
};

describe('the plan of a creation', () => {
  it('inserts the user, claims a seat, forwards the change, and ends nothing', () => {
    const plan = creation(caseOf());
    expect(plan).toMatchObject({ claimsSeat: true, frees: false, note: null });
    expect(plan.subject).toMatchObject({ kind: 'insert', write: { id: 'usr_new', at: STAMP.at, directoryId: 'dir' } });
    expect(plan.consequences).toMatchObject({ forward: true, endings: [], seat: { move: 'claim', reason: 'created' } });
  });

  it.each<[string, Partial<Conflicts>, HeldReason]>([
    ['the e-mail is taken', { emailTaken: true }, 'email_taken'],
    ['the key is taken', { externalIdTaken: true }, 'external_id_taken'],
    ['no seat is free', { seatFree: false }, 'no_seat'],
  ])('holds the user when %s, and then forwards nothing', (_, conflicts, held) => {
    const plan = creation(caseOf(), conflicts);
    expect(plan.subject).toMatchObject({ write: { decision: { held, inForce: { status: 'inactive' } } } });
    expect(plan).toMatchObject({ claimsSeat: false, consequences: { forward: false, seat: null } });
  });

  it('claims no seat for a role that takes none', () => {
    expect(creation(caseOf({ roleSet: 'Guest' }, null))).toMatchObject({
      claimsSeat: false,
      consequences: { seat: null },
    });
  });
});

describe('the plan of an edit', () => {
  it('records a change of the resource alone and forwards nothing', () => {
    const plan = edited({ kind: 'change', draft: draft() })!;
    expect(plan.subject).toMatchObject({ kind: 'update', clashes: false });
    expect(plan.consequences).toMatchObject({ forward: false, endings: [], change: { changed: [] } });
  });

  it('frees seat and names and ends the credentials when the user is deactivated', () => {
    const plan = edited({ kind: 'change', draft: draft({ active: false }) })!;
    expect(plan.frees).toBe(true);
    expect(plan.consequences).toMatchObject({
      seat: { move: 'release' },
      endings: [{ kind: 'credentials', why: 'deactivated' }],
      change: { kind: 'deactivated' },
      forward: true,
    });
  });

  it('demands unique names, and ends the links by the old e-mail, when the e-mail changes', () => {
    const plan = edited({ kind: 'change', draft: draft({ email: 'countess@example.com' }) })!;
    expect(plan.subject).toMatchObject({ clashes: true });
    expect(plan.consequences?.endings).toEqual([{ kind: 'former_links', madeBy: 'email', name: 'ada@example.com' }]);
  });

  it('ends the sessions when the role changes', () => {
    const row = stored(caseOf({}, null));
    const about = { ...caseOf({ draft: draft(), roleSet: 'Guest' }, null), row };
    const edit: Edit = { kind: 'change', draft: draft(), roleSet: 'Guest' };
    const plan = planWrite({ kind: 'edit', about, edit }, NO_CONFLICTS, STAMP)!;
    expect(plan.consequences).toMatchObject({
      endings: [{ kind: 'sessions', why: 'role_changed' }],
      seat: { move: 'release', reason: 'role' },
    });
  });

  it('plans nothing when a reconsidered user stays as it is', () => {
    expect(edited({ kind: 'reconsider', draft: draft() })).toBeNull();
  });

  it('lets a waiting user in when it is reconsidered and a seat is free', () => {
    const row = stored(caseOf(), { seat: 'waiting', held: 'no_seat', status: 'inactive' });
    const plan = edited({ kind: 'reconsider', draft: draft() }, row)!;
    expect(plan).toMatchObject({ claimsSeat: true, consequences: { forward: true, seat: { move: 'claim' } } });
  });

  it('notes a link, with the directory that the user comes from', () => {
    const row = stored(caseOf({}, null), { directory_id: null });
    const plan = edited({ kind: 'link', draft: draft(), directoryId: 'dir', by: 'email' }, row)!;
    expect(plan.note).toEqual({
      kind: 'linked',
      detail: { by: 'email', directory_id: 'dir', from_directory_id: null },
    });
  });

  it.each([
    ['the same address', 'ada@example.com', true],
    ['another address', 'other@example.com', false],
  ])('ends unproven identities when a directory takes over a user of sign-in with %s', (_, email, proven) => {
    const row = stored(caseOf({}, null), { source: 'sign-in', directory_id: null });
    const plan = edited({ kind: 'link', draft: draft({ email }), directoryId: 'dir', by: 'email' }, row)!;
    expect(plan.consequences?.endings[0]).toEqual({ kind: 'unproven_identities', proven });
  });

  it('uses the userName in place of a key that is taken when an admin has released the user', () => {
    const row = stored(caseOf(), { released: 'external_id_taken' });
    const about = { ...caseOf({ released: 'external_id_taken' }), row };
    const edit: Edit = { kind: 'reconsider', draft: draft() };
    const plan = planWrite({ kind: 'edit', about, edit }, { ...NO_CONFLICTS, externalIdTaken: true }, STAMP)!;
    expect(plan.subject).toMatchObject({
      write: { decision: { held: null, inForce: { external_id: 'ada@example.com' } } },
    });
  });

  it('never dates a change before the one that it follows', () => {
    const later = Date.parse('2027-01-01T00:00:00.000Z');
    const plan = edited(
      { kind: 'change', draft: draft({ first_name: 'A' }) },
      stored(caseOf(), { updated_at: later }),
    )!;
    expect(plan.subject).toMatchObject({ write: { at: new Date(later) } });
  });
});

describe('the plan of a removal', () => {
  const removed = (row: UserWithGroups, directory: WritingDirectory | null = DIRECTORY): WritePlan =>
    planWrite({ kind: 'remove', about: { ...caseOf({}, directory), row } }, NO_CONFLICTS, STAMP)!;

  it('ends credentials, identities and links, releases the seat, and forwards', () => {
    const plan = removed(stored());
    expect(plan.subject.kind).toBe('remove');
    expect(plan.consequences).toMatchObject({ forward: true, seat: { move: 'release', reason: 'deleted' } });
    expect(plan.consequences?.endings.map(({ kind }) => kind)).toEqual([
      'credentials',
      'identities',
      'former_links',
      'former_links',
    ]);
  });

  it.each([
    ['by a directory in preview', stored(), { ...DIRECTORY, state: 'preview' as const }, 'preview'],
    ['of a protected user', stored(caseOf(), { id: 'usr_protected' }), DIRECTORY, 'protected'],
  ])('is held %s without consequences, and is noted', (_, row, directory, reason) => {
    expect(removed(row, directory)).toMatchObject({
      subject: { kind: 'hold_removal', reason },
      consequences: null,
      note: { kind: 'held', detail: { event: 'held', reason } },
    });
  });

  it('is not held when the tenant itself removes a protected user', () => {
    expect(removed(stored(caseOf(), { id: 'usr_protected' }), null).subject.kind).toBe('remove');
  });
});

it('plans an import as an opening balance that is not forwarded', () => {
  const person = { email: 'ada@example.com', first_name: 'Ada', last_name: 'L', role: 'gone', external_id: null };
  const account = { person, status: 'active' as const, platformId: 'p-1' };
  const plan = planWrite({ kind: 'import', about: caseOf({}, null), account }, NO_CONFLICTS, STAMP)!;
  expect(plan).toMatchObject({
    subject: { kind: 'insert', write: { everActive: true, roleSet: 'User' } },
    claimsSeat: false,
    consequences: { change: null, forward: false, seat: { move: 'opening', reason: 'imported (p-1)' } },
  });
});

describe('the plan of a held departure', () => {
  const held = stored(caseOf(), { held: 'protected', active: false });

  it('notes the release when a review of roles lets the user go before the end of protection is worked off', () => {
    const plan = edited({ kind: 'reconsider', draft: draft({ active: false }) }, held);
    expect(plan).toMatchObject({ note: { kind: 'held', detail: { event: 'released', reason: 'protected' } } });
  });

  it.each(['released', 'hold_ended'] as const)('leaves the note to the caller when the trigger is %s', (kind) => {
    const plan = edited({ kind: 'reconsider', draft: draft({ active: false }), trigger: { kind } }, held);
    expect(plan).toMatchObject({ note: null });
  });
});

describe('the plan of a departure', () => {
  const figures = { percent: 20, people: 200, at_least: 10, within_minutes: 60, day_percent: 30 };
  const about = { ctx: caseOf({}, { ...DIRECTORY, guard: figures }).ctx };
  const leaving: Edit = { kind: 'change', draft: draft({ active: false }) };

  it('counts for the guard of the directory, with what was in force', () => {
    const { guarded } = edited(leaving, stored(), about)!;
    expect(guarded).toMatchObject({ kind: 'departure', how: 'deactivated', directoryId: 'dir', figures });
    expect(guarded).toMatchObject({ before: { person: { email: 'ada@example.com', role: 'User' } } });
  });

  it('is held with access and seat when the limit of the guard is reached', () => {
    const row = stored();
    const full = { ...NO_CONFLICTS, guardReached: true };
    const command = {
      kind: 'edit',
      about: { ...caseOf({ draft: leaving.draft, ...about }), row },
      edit: leaving,
    } as const;
    expect(planWrite(command, full, STAMP)).toMatchObject({
      guarded: null,
      subject: { write: { decision: { held: 'guard', seat: 'held', inForce: { status: 'active' } } } },
    });
    const removal = { kind: 'remove', about: { ctx: about.ctx, tenant: command.about.tenant, row } } as const;
    expect(planWrite(removal, full, STAMP)).toMatchObject({ subject: { kind: 'hold_removal', reason: 'guard' } });
  });

  it('stays held while others are back, and goes when an admin releases it', () => {
    const row = stored(caseOf(), { held: 'guard', active: false });
    expect(edited(leaving, row, about)).toMatchObject({ subject: { write: { decision: { held: 'guard' } } } });
    const release: Edit = {
      kind: 'reconsider',
      draft: leaving.draft,
      released: 'guard',
      trigger: { kind: 'released' },
    };
    const plan = edited(release, row, { ...about, released: 'guard' });
    expect(plan).toMatchObject({
      guarded: null,
      subject: { write: { decision: { inForce: { status: 'inactive' } } } },
    });
  });

  it('counts no more when the user is back', () => {
    const back: Edit = { kind: 'change', draft: draft() };
    const row = stored(caseOf(), { status: 'inactive', seat: 'none', active: false });
    expect(edited(back, row, about)).toMatchObject({ guarded: { kind: 'return', directoryId: 'dir' } });
  });

  it.each([
    ['of a directory without a guard', caseOf().ctx],
    ['by the users API', caseOf({}, null).ctx],
  ])('%s is not counted', (_, ctx) => {
    expect(edited(leaving, stored(), { ctx })!.guarded).toBeNull();
  });
});
