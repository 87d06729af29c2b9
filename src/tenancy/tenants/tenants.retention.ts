/** Keys of people who are not active any more. */
export const KEY_LEFTOVERS = [
  `update api_keys k set revoked_at = now()
   where k.owner_kind = 'person' and k.revoked_at is null and not exists (
     select 1 from users u where u.tenant_id = k.tenant_id and u.id = k.owner_user_id and u.status = 'active')`,
] as const;
