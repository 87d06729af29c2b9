import type { SqlRunner } from '../base/database/database.js';
import type { RefusalReason } from './credential-refusals.js';

/** A tenant is being created: each room adds its own first rows, in the same transaction. */
export class TenantCreated {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
  ) {}
}

/** The transaction that creates a tenant is committed. */
export class TenantReady {
  constructor(readonly tenantId: string) {}
}

/** A SCIM token was refused. */
export class TokenRefused {
  constructor(
    readonly tenantId: string,
    /** Null: the token is unknown, so every directory of the tenant may be meant. */
    readonly directoryId: string | null,
    /** `prefix` holds no part of the secret. */
    readonly refusal: { at: string; reason: RefusalReason; prefix: string },
  ) {}
}

/** Directories have sent requests; the times of the last ones. */
export class DirectoriesSeen {
  constructor(readonly uses: readonly { tenantId: string; directoryId: string; at: Date }[]) {}
}
