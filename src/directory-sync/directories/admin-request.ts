import type { Actor, ChangeSource } from '../../tenancy/identity/person.js';
import { type Repeatable } from '../../tenancy/idempotency/idempotency-keys.js';

/** A request that changes the administration of a tenant. */
export interface AdminRequest extends Repeatable {
  tenantId: string;
  actor: Actor;
  /** Null: the change comes from the service itself. */
  requestId: string | null;
}

/** Returns the source of the changes to users and groups that follow from a request of the administration. */
export function adminSourceOf(by: AdminRequest, directoryId: string): ChangeSource {
  return { request_id: by.requestId ?? '', surface: 'api', directory_id: directoryId, actor: by.actor };
}
