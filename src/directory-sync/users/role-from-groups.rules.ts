import type { GroupName } from '../../tenancy/identity/cause.rules.js';

/** A role that a group rule gives, and the group of the rule. */
export interface RuleRole {
  role: string;
  group: GroupName;
}

/** The sources of a role, in the order of precedence. */
export interface RoleSources {
  /** SCIM `roles` in the request: the primary one first, then in the order sent. */
  roles: readonly string[];
  /** Roles of the group rules that match, in the order of the rules. */
  fromRules: readonly string[];
  /** The directory's default; null: none yet. */
  defaultRole: string | null;
}

/**
 * Returns the role of a user: the first one of the catalogue, or null. `known` holds the names of the tenant's
 * catalogue.
 */
export function roleOf(sources: RoleSources, known: { has(name: string): boolean }): string | null {
  for (const role of sources.roles) if (known.has(role)) return role;
  for (const role of sources.fromRules) if (known.has(role)) return role;
  return sources.defaultRole;
}

/**
 * Returns the names in a SCIM `roles` list. Entra's complex assignments put JSON into `value`; the `value` member of
 * that JSON is the name then.
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
