import { decide } from '../../../../src/directory-sync/users/write/effective-state.rules.js';
import { writtenIn } from '../../../../src/directory-sync/users/write/requested-state.rules.js';
import { isSame, newWrite, nextWrite, rowAfter } from '../../../../src/directory-sync/users/write/user-write.rules.js';
import { NO_CONFLICTS, type WriteCase } from '../../../../src/directory-sync/users/write/write-case.js';
import { caseOf, DIRECTORY, draft, STAMP, stored } from './support.js';

const decided = (about: WriteCase) => decide(about, writtenIn(about), NO_CONFLICTS);
const RECONSIDER = { kind: 'reconsider', draft: draft() } as const;

describe('the row of a new user', () => {
  it('has id and time of the stamp, and belongs to the directory', () => {
    const write = newWrite(caseOf(), decided(caseOf()), STAMP);
    expect(write).toMatchObject({ id: 'usr_new', at: STAMP.at, directoryId: 'dir', source: 'scim', nameWritten: true });
    expect(write.everActive).toBe(true);
  });

  it('of a user without an address is not known to the platform', () => {
    const about = caseOf({ draft: { ...draft(), email: null } });
    expect(newWrite(about, decided(about), STAMP).everActive).toBe(false);
  });

  it('has version 1', () => {
    expect(rowAfter(null, newWrite(caseOf(), decided(caseOf()), STAMP))).toMatchObject({ version: 1, revision: 1 });
  });
});

describe('the next state of a user', () => {
  const about = { ...caseOf(), row: stored() };

  it('counts the version up, and keeps the id and the creation', () => {
    const write = nextWrite(about, RECONSIDER, decided(about), new Date('2026-02-01T00:00:00.000Z'));
    const after = rowAfter(about.row, write);
    expect(after).toMatchObject({ id: about.row.id, version: 2, created_at: about.row.created_at });
    expect(after.updated_at).toBe(Date.parse('2026-02-01T00:00:00.000Z'));
  });

  it('keeps the effective cost centre while the directory is in preview', () => {
    const preview = { ...DIRECTORY, state: 'preview' as const };
    const row = stored(caseOf(), { cost_center: 'CC-1' });
    const next = { ...caseOf({ draft: { ...draft(), costCenter: 'CC-2' } }, preview), row };
    expect(nextWrite(next, RECONSIDER, decided(next), STAMP.at).costCenter).toBe('CC-1');
  });

  it('ends the release over the limit once the seat is given back', () => {
    const leaver = { ...caseOf({ released: 'no_seat', draft: draft({ active: false }) }), row: stored() };
    expect(nextWrite(leaver, RECONSIDER, decided(leaver), STAMP.at).released).toBeNull();
  });
});

it.each([
  ['nothing differs', {}, true],
  ['the name differs', { first_name: 'Augusta' }, false],
  ['the seat differs', { seat: 'waiting' as const }, false],
  ['the reason differs', { held: 'no_seat' as const }, false],
  ['the cost centre differs', { cost_center: 'CC-9' }, false],
])('is the same when %s: %#', (_, more, expected) => {
  const about = { ...caseOf(), row: stored(caseOf(), more) };
  const same = decide({ ...about, row: stored() }, writtenIn(about), NO_CONFLICTS);
  expect(isSame(about, RECONSIDER, same)).toBe(expected);
});
