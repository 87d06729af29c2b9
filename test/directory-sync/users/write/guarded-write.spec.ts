import { GUARD_DEFAULTS } from '../../../../src/directory-sync/directories/directory.js';
import { guardedEdit, guardedRemoval } from '../../../../src/directory-sync/users/write/consequences.rules.js';
import { currentOf } from '../../../../src/directory-sync/users/user.row.js';
import type { Edit } from '../../../../src/directory-sync/users/write/write-case.js';
import { caseOf, DIRECTORY, draft, STAMP, stored } from './support.js';

const { ctx } = caseOf({}, { ...DIRECTORY, guard: GUARD_DEFAULTS });
const edit: Edit = { kind: 'change', draft: draft({ active: false }) };
const out = {
  inForce: { ...currentOf(stored()).person, status: 'inactive' as const },
  seat: 'none' as const,
  held: null,
};

it('keeps a departure with the resource only when the row goes', () => {
  const row = stored();
  const about = { ...caseOf({ ctx, draft: edit.draft }), row };
  expect(guardedEdit(about, edit, out, STAMP.at)).toMatchObject({
    kind: 'departure',
    how: 'deactivated',
    directoryId: 'dir',
  });
  expect(guardedEdit(about, edit, out, STAMP.at)).not.toHaveProperty('before.doc');
  expect(guardedRemoval(ctx, row)).toMatchObject({ how: 'deleted', before: { doc: row.doc } });
});

it('keeps nothing of what an admin releases or discards, nor of a user who was out already', () => {
  const row = stored();
  const about = { ...caseOf({ ctx, draft: edit.draft }), row };
  expect(guardedEdit(about, { ...edit, trigger: { kind: 'released' } }, out, STAMP.at)).toBeNull();
  expect(
    guardedEdit(about, { kind: 'discard', draft: edit.draft, discardedRole: null, released: null }, out, STAMP.at),
  ).toBeNull();
  expect(guardedRemoval(ctx, stored(caseOf(), { status: 'inactive' }))).toBeNull();
});
