import type { GroupName } from '../../tenancy/identity/cause.rules.js';
import type { ConsoleAccess } from '../../tenancy/tenants/administrators.js';
import type { CatalogueRole } from '../../tenancy/tenants/tenant.store.js';
import type { RoleRefusal } from '../directories/directory-marks.js';

/** A role that a group rule gives, with the group of the rule. */
export interface RuleRole {
  role: string;
  group: GroupName;
}

interface RoleSources {
  /** SCIM `roles` of the request: the primary one first, then in their order. */
  roles: readonly string[];
  fromRules: readonly string[];
  /** Null when the directory has none yet. */
  defaultRole: string | null;
}

/** Returns the first role of the catalogue, or null. `known` has the names of the tenant's catalogue. */
export function roleOf(sources: RoleSources, known: { has(name: string): boolean }): string | null {
  for (const role of sources.roles) if (known.has(role)) return role;
  for (const role of sources.fromRules) if (known.has(role)) return role;
  return sources.defaultRole;
}

/**
 * Returns the names in a SCIM `roles` list. Entra's complex assignments have JSON in `value`; its `value` member is the
 * name.
 */
export function roleNames(roles: readonly { value?: unknown; primary?: unknown }[] | undefined): string[] {
  if (!roles || roles.length === 0) return [];
  const ordered = [...roles].sort((a, b) => Number(b.primary === true) - Number(a.primary === true));
  return ordered.flatMap(({ value }) => {
    if (typeof value !== 'string') return [];
    if (!value.startsWith('{')) return [value];
    try {
      const inner = (JSON.parse(value) as { value?: unknown }).value;
      return typeof inner === 'string' ? [inner] : [];
    } catch {
      return [value]; // Not JSON: a name that begins with a brace.
    }
  });
}

type Catalogue = ReadonlyMap<string, CatalogueRole>;

/** The part of an effective state that decides about rights of administration; null when the user does not exist. */
type RoleInForce = { status: string; role: string | null } | null;

export interface RightStep {
  event: 'administrator.added' | 'administrator.removed';
  role: string;
  console: Exclude<ConsoleAccess, 'none'>;
}

/** Another identity of a user who administers. `role` is null for the owner without a role. */
export interface IdentityStep {
  event: 'administrator.identity_changed';
  role: string | null;
  console: Exclude<ConsoleAccess, 'none'>;
  fields: string[];
}

/** Returns the right of administration that a role has; a role outside the catalogue has none. */
export function consoleOf(roles: Catalogue, role: string | null): ConsoleAccess {
  return (role === null ? undefined : roles.get(role)?.console) ?? 'none';
}

/**
 * Returns the roles that the `roles` of a resource may give. One that administers needs the permission of an
 * administrator.
 */
export function grantableRoles(roles: Catalogue, mayGrantConsole: boolean): { has(name: string): boolean } {
  if (mayGrantConsole) return roles;
  return { has: (name) => roles.get(name)?.console === 'none' };
}

/**
 * Returns the default role that a directory gives; null where the role administers and the directory has no permission.
 */
export function defaultRoleBy(
  roles: Catalogue,
  { defaultRole, mayGrantConsole }: { defaultRole: string | null; mayGrantConsole: boolean },
): string | null {
  return mayGrantConsole || consoleOf(roles, defaultRole) === 'none' ? defaultRole : null;
}

export interface RefusedRole {
  role: string;
  reason: RoleRefusal;
}

/** Returns the roles before the given one, with the reason of each. `asked` is in the order of precedence. */
export function refusedRoles(roles: Catalogue, mayGrantConsole: boolean, asked: readonly string[]): RefusedRole[] {
  const grantable = grantableRoles(roles, mayGrantConsole);
  const given = asked.findIndex((role) => grantable.has(role));
  return (given === -1 ? asked : asked.slice(0, given)).map((role) => ({
    role,
    reason: roles.has(role) ? 'role_needs_admin' : 'unknown_role',
  }));
}

/** Returns the rights of administration that differ between two effective states, the lost one first. */
export function rightSteps(roles: Catalogue, before: RoleInForce, after: RoleInForce): RightStep[] {
  const had = rightOf(roles, before);
  const has = rightOf(roles, after);
  if (had?.console === has?.console) return [];
  return [
    ...(had === null ? [] : [{ event: 'administrator.removed', ...had } as const]),
    ...(has === null ? [] : [{ event: 'administrator.added', ...has } as const]),
  ];
}

function rightOf(roles: Catalogue, state: RoleInForce): Pick<RightStep, 'role' | 'console'> | null {
  if (state === null || state.status !== 'active' || state.role === null) return null;
  const console = consoleOf(roles, state.role);
  return console === 'none' ? null : { role: state.role, console };
}
