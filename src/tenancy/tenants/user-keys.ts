import type { WriteStatement } from '../../base/database/write-statement.js';

/** Ends the API keys of the user who is the subject of a statement. */
export function endUserKeys(statement: WriteStatement, tenantId: string): void {
  statement.add(
    (p) => `update api_keys k set revoked_at = now()
      where k.tenant_id = ${p.shared(tenantId)} and k.owner_kind = 'person'
        and k.owner_user_id = any(array(select id from subject)) and (k.revoked_at is null or k.revoked_at > now())`,
    { each: true },
  );
}
