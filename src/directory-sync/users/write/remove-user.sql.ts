import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { HeldReason, ChangeSource } from '../../../tenancy/identity/person.js';
import { keepMemberships, leaveAllGroups } from '../groups/memberships.sql.js';
import { ASIDE_KEY } from '../held-name.js';
import type { UserRow } from '../user.row.js';
import { addPopulation } from './side-rows.sql.js';

/** Adds the removal of a user as the subject; actor, time and request stay in `deleted_users`. */
export function removeUser(
  statement: WriteStatement,
  tenantId: string,
  row: UserRow,
  person: string,
  source: ChangeSource,
): void {
  statement.subject(
    (p) => `delete from users u where u.tenant_id = ${p.add(tenantId)} and u.id = ${p.add(row.id)}
      and u.version = ${p.add(row.version, 'int')} returning u.id`,
  );
  statement.add(
    (p) => `insert into deleted_users (tenant_id, id, directory_id, user_name, external_id, person, deleted_by)
      select ${p.add(tenantId)}, id, ${p.add(row.directory_id, 'text')}, ${p.add(row.user_name)},
        ${p.add(row.person_external_id, 'text')}, ${p.add(person, 'jsonb')}, ${p.add(JSON.stringify(source), 'jsonb')}
      from subject`,
  );
  statement.add(
    (p) => `delete from user_emails e using subject s where e.tenant_id = ${p.add(tenantId)} and e.user_id = s.id`,
  );
  leaveAllGroups(statement, tenantId);
  if (!row.gone) addPopulation(statement, tenantId, [{ owner: row.directory_id, step: -1 }]);
}

/**
 * Adds, as the subject, the removal of a user that stays in force: gone for SCIM and for its groups, and the name is free.
 *
 * @param reason why the removal is held
 */
export function holdRemoval(statement: WriteStatement, tenantId: string, row: UserRow, reason: HeldReason): void {
  statement.subject((p) => {
    const tenant = p.add(tenantId);
    return `update users u set gone_at = coalesce(u.gone_at, now()), held = ${p.add(reason)}, held_since = now(),
        requested_email_key = null,
        version = version + 1, quiet_writes = quiet_writes + 1, resource_at = coalesce(resource_at, updated_at),
        user_name_key = case when u.gone_at is null then ${ASIDE_KEY} else u.user_name_key end
      where u.tenant_id = ${tenant} and u.id = ${p.add(row.id)} and u.version = ${p.add(row.version, 'int')}
      returning u.id`;
  });
  keepMemberships(statement, tenantId, leaveAllGroups(statement, tenantId));
  if (!row.gone) addPopulation(statement, tenantId, [{ owner: row.directory_id, step: -1 }]);
}
