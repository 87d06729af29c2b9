/** Rows of groups that end automatically. */
export const GROUP_LEFTOVERS = [
  // A member of an id that no user has had for so long is a mistake of the IdP, and not late.
  `delete from pending_members p using tenants t where p.tenant_id = t.id and p.since < now() - interval '90 days'`,
] as const;
