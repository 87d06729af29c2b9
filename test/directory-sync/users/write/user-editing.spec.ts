import type { SqlRunner } from '../../../../src/base/database/database.js';
import type { UsersRepository } from '../../../../src/directory-sync/users/users.repository.js';
import { CaseReader } from '../../../../src/directory-sync/users/write/user-editing.js';
import type { Edit } from '../../../../src/directory-sync/users/write/write-case.js';
import { caseOf, draft, stored, TENANT } from './support.js';

it('keeps the key of a name that was given away, and does not change the draft of the caller', async () => {
  const reader = new CaseReader({} as UsersRepository);
  const row = { ...stored(), user_name_key: '\u0001ada@example.com\u0001usr_new' };
  const edit: Edit = { kind: 'change', draft: draft({ first_name: 'Augusta' }) };
  const ctx = { ...caseOf().ctx, source: {} } as Parameters<CaseReader['of']>[1];
  const about = await reader.of({} as SqlRunner, ctx, TENANT, row, edit);
  expect(about.draft).toEqual({ ...edit.draft, userNameKey: row.user_name_key });
  expect(edit.draft.userNameKey).toBe('ada@example.com');
});
