import type { UnitOfWork } from '../base/database/unit-of-work.js';

/** Ends the API keys that are a person's own together with the person whom the unit of work is about. */
export function endPersonKeys(tx: UnitOfWork, tenantId: string): void {
  tx.add(
    (p) => `update api_keys k set revoked_at = now() from subject s
      where k.tenant_id = ${p.add(tenantId)} and k.owner_kind = 'person' and k.owner_user_id = s.id
        and (k.revoked_at is null or k.revoked_at > now())`,
  );
}
