import type { Written } from '../../../tenancy/identity/held.rules.js';
import type { RoleOrigin } from '../../../tenancy/identity/cause.rules.js';
import { roleOf } from '../role-from-groups.rules.js';
import type { GivenRoles } from './discard.rules.js';
import type { Edit, WriteCase } from './write-case.js';
import type { UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { defaultRoleBy, grantableRoles } from '../console-rights.rules.js';

/** Returns the roles that the resource, and rules or default, give a user; null: none. */
export function givenRoles({ ctx, tenant, draft, roleSet, fromRules }: WriteCase): GivenRoles {
  const directory = ctx.directory;
  const grantable = grantableRoles(tenant.roles, directory?.mayGrantConsole ?? false);
  const defaultRole = roleSet ?? (directory ? defaultRoleBy(tenant.roles, directory) : 'User');
  return {
    byResource: roleOf({ roles: directory ? draft.roles : [], fromRules: [], defaultRole: null }, grantable),
    byRules: roleOf({ roles: [], fromRules: fromRules.map(({ role }) => role), defaultRole }, tenant.roles),
  };
}

/** Returns the requested state in the platform's words: with the role and the key that follow from it. */
export function writtenIn(about: WriteCase): Written {
  const { ctx, row, draft } = about;
  const { byResource, byRules } = givenRoles(about);
  return {
    active: draft.active,
    seatlessRole: seatlessRole(about),
    person: {
      email: draft.email,
      first_name: draft.firstName,
      last_name: draft.lastName,
      role: byResource ?? (isDiscardedRole(about, byRules) ? row!.role : byRules),
      external_id: requestedKey(row, draft, ctx.directory !== null),
    },
  };
}

/** Returns whether an admin has discarded the role of rules or default: the user keeps the role in force. */
function isDiscardedRole({ row, discardedRole }: WriteCase, byRules: string | null): boolean {
  return row !== null && (discardedRole === undefined ? row.discarded_role : discardedRole) === (byRules ?? '');
}

/** Returns where the requested role comes from. */
export function roleOrigin(about: WriteCase): RoleOrigin {
  const { tenant, roleSet, fromRules } = about;
  const { byResource, byRules } = givenRoles(about);
  if (byResource !== null) return { by: 'roles', value: byResource };
  if (isDiscardedRole(about, byRules)) return { by: 'discard' };
  const rule = fromRules.find(({ role }) => tenant.roles.has(role));
  if (rule !== undefined) return { by: 'rule', group: rule.group };
  if (byRules === null) return { by: 'none' };
  if (roleSet === null) return { by: 'default' };
  return about.roleOrigin ?? { by: 'set' };
}

/** Returns the first role of the catalogue that the user is given and that takes no seat; null: there is none. */
function seatlessRole({ ctx: { directory }, tenant: { roles }, draft, roleSet, fromRules }: WriteCase): string | null {
  const grantable = grantableRoles(roles, directory?.mayGrantConsole ?? false);
  const byDefault = directory === null ? null : defaultRoleBy(roles, directory);
  const byResource = directory === null ? [] : draft.roles.filter((role) => grantable.has(role));
  const given = [...byResource, ...fromRules.map(({ role }) => role), roleSet ?? byDefault];
  return given.find((role) => role !== null && roles.get(role)?.takesSeat === false) ?? null;
}

/** Returns the discarded role after a write: it ends once the resource gives a role, or rules and default give another one. */
export function discardedRoleAfter(about: WriteCase & { row: UserRow }, edit: Edit): string | null {
  if (edit.kind === 'discard') return edit.discardedRole;
  const { byResource, byRules } = givenRoles(about);
  return byResource === null && about.row.discarded_role === (byRules ?? '') ? about.row.discarded_role : null;
}

/**
 * Returns the key towards the platform. A key that a directory once sent stays when the directory only leaves it out.
 *
 * @param managed a directory manages the user
 */
export function requestedKey(row: UserRow | null, draft: UserDraft, managed: boolean): string | null {
  if (draft.key !== null || !managed) return draft.key;
  const old = row?.person_external_id ?? null;
  return old !== null && old !== row!.user_name ? old : draft.userName;
}
