import type { SqlRunner } from '../../../src/base/database/database.js';
import { UsersRepository } from '../../../src/directory-sync/users/users.repository.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';

let test: TestDatabase;
let repository: UsersRepository;
beforeAll(async () => {
  test = await testDatabase();
  repository = new UsersRepository(test.db);
  const { owner } = test;
  await owner.execute(`
    set session_replication_role = replica; -- the rows that these ones belong to do not matter here
    insert into group_rules (tenant_id, directory_id, position, group_id, role) values
      ('ten_a', 'dir_a', 2, 'grp_staff', 'User'), ('ten_a', 'dir_a', 1, 'grp_heads', 'Admin'),
      ('ten_a', 'dir_a', 3, 'grp_guests', 'Observer'),
      ('ten_a', 'dir_b', 1, 'grp_staff', 'Observer'), ('ten_b', 'dir_a', 1, 'grp_staff', 'Owner');
    insert into groups (tenant_id, id, directory_id, doc, display_name, display_name_key) values
      ('ten_a', 'grp_staff', 'dir_a', '{}', 'Staff', 'staff'), ('ten_a', 'grp_heads', 'dir_a', '{}', 'Heads', 'heads'),
      ('ten_a', 'grp_guests', 'dir_a', '{}', 'Guests', 'guests'), ('ten_b', 'grp_staff', 'dir_a', '{}', 'Others', 'others');
    insert into group_members (tenant_id, group_id, member_id, kind) values
      ('ten_a', 'grp_staff', 'usr_both', 'User'), ('ten_a', 'grp_heads', 'usr_both', 'User'),
      ('ten_a', 'grp_staff', 'usr_staff', 'User'), ('ten_b', 'grp_staff', 'usr_staff', 'User'),
      ('ten_a', 'grp_other', 'usr_other', 'User');
    set session_replication_role = origin`);
});
afterAll(() => test.close());

const EXPECTED = {
  usr_both: [
    ['Admin', 'Heads'],
    ['User', 'Staff'],
  ],
  usr_staff: [['User', 'Staff']],
  usr_other: [],
  usr_unknown: [],
};
const users = Object.keys(EXPECTED) as (keyof typeof EXPECTED)[];

/** The roles that the rules of a directory give a user, each with the name of the group of its rule. */
const rolesOf = async (tenantId: string, directoryId: string, userId: string, db: SqlRunner = test.db) =>
  (await repository.rolesFromRules(tenantId, directoryId, userId, db)).map(({ role, group }) => [role, group.name]);

it('gives each of many users the roles of the rules of the directory, in their order', async () => {
  const asked = Array.from({ length: 40 }, (_, i) => users[i % users.length]!);
  const found = await Promise.all(asked.map((id) => rolesOf('ten_a', 'dir_a', id)));
  expect(found).toEqual(asked.map((id) => EXPECTED[id]));
  expect(await rolesOf('ten_a', 'dir_b', 'usr_both')).toEqual([['Observer', 'Staff']]);
  expect(await rolesOf('ten_b', 'dir_a', 'usr_staff')).toEqual([['Owner', 'Others']]);
});

it('reads roles in the transaction of a write', async () => {
  const found = await test.owner.transaction('ten_a', async (tx) => {
    await tx.query(`delete from group_members where tenant_id = $1 and group_id = 'grp_heads'`, ['ten_a']);
    return rolesOf('ten_a', 'dir_a', 'usr_both', tx);
  });
  expect(found).toEqual([['User', 'Staff']]);
});
