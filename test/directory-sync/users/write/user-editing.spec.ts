import type { SqlRunner } from '../../../../src/base/database/database.js';
import type { UserWithGroups } from '../../../../src/directory-sync/users/users.repository.js';
import { UserEditing, RecentRows } from '../../../../src/directory-sync/users/write/user-editing.js';
import type { Edit } from '../../../../src/directory-sync/users/write/write-case.js';
import { caseOf, draft, stored, TENANT } from './support.js';

describe('user editing', () => {
  it('keeps the key of a name that was given away, and does not change the draft of the caller', async () => {
    const reader = new UserEditing(...([{}, {}, {}, {}, {}] as unknown as ConstructorParameters<typeof UserEditing>));
    const row = { ...stored(), user_name_key: '\u0001ada@example.com\u0001usr_new' };
    const edit: Edit = { kind: 'change', draft: draft({ first_name: 'Augusta' }) };
    const ctx = { ...caseOf().ctx, source: {} } as Parameters<UserEditing['caseOf']>[1];
    const about = await reader.caseOf({} as SqlRunner, ctx, TENANT, row, edit);
    expect(about.draft).toEqual({ ...edit.draft, userNameKey: row.user_name_key });
    expect(edit.draft.userNameKey).toBe('ada@example.com');
  });
});

describe('recent rows', () => {
  const row = (id: string, bytes: number): UserWithGroups => ({ id, doc: 'x'.repeat(bytes) }) as UserWithGroups;

  it('is bounded by bytes, not by rows', () => {
    const recent = new RecentRows();
    for (let i = 0; i < 5000; i++) recent.put('t', row(`u${i}`, 30_000));
    expect(recent.bytes).toBeLessThanOrEqual(24 * 1024 * 1024);
    expect(recent.take('t', 'u4999')).toBeDefined();
    expect(recent.take('t', 'u0')).toBeUndefined();
  });

  it('keeps no large row, nor an older version of it', () => {
    const recent = new RecentRows();
    recent.put('t', row('u', 10));
    recent.put('t', row('u', 200_000));
    expect(recent.take('t', 'u')).toBeUndefined();
    expect(recent.bytes).toBe(0);
  });

  it('gives a row away once', () => {
    const recent = new RecentRows();
    recent.put('t', row('u', 10));
    expect([recent.take('t', 'u') !== undefined, recent.take('t', 'u')]).toEqual([true, undefined]);
  });
});
