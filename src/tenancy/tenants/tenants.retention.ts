/** Returns the statement that revokes keys of users; `which` is SQL that is true of such a key `k`. */
export function revokeUserKeys(which: string): string {
  return `update api_keys k set revoked_at = now() where k.owner_kind = 'person' and k.revoked_at is null and ${which}`;
}
