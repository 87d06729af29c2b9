/**
 * Returns SQL of the time at which the maker of a record ended: its key was revoked or has expired, or its user has left.
 * Until then it is `infinity`, and for every other kind of actor.
 *
 * @param tenant SQL of the tenant's id
 * @param actor SQL of the maker, an `Actor` as jsonb
 */
export function makerEnd(tenant: string, actor: string): string {
  const id = `${actor} ->> 'id'`;
  // Earlier versions wrote `person` as the kind of a user.
  return `(case
    when ${actor} ->> 'kind' = 'key' then coalesce((select coalesce(least(k.revoked_at, k.expires_at), 'infinity') from api_keys k
      where k.tenant_id = ${tenant} and k.id = ${id}), now())
    when ${actor} ->> 'kind' in ('user', 'person') then coalesce((select case u.status when 'active' then 'infinity' else u.updated_at end from users u
      where u.tenant_id = ${tenant} and u.id = ${id}), now())
    else 'infinity' end)`;
}
