import type { SqlRunner } from '../../base/database/database.js';
import type { AuditBy } from './audit/audit.service.js';
import type { RequestedBy } from './caller.js';
import type { ConsoleAccess } from './administrators.js';

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

/** The rights of a role's holders change, in a transaction. */
export class RoleConsoleChanged {
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly role: string,
    readonly before: ConsoleAccess,
    readonly after: ConsoleAccess,
  ) {}
}

/**
 * A role of the catalogue is to be deleted, in a transaction: each room adds the number of its places that name the
 * role.
 */
export class RoleDeleting {
  uses = 0;

  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly role: string,
  ) {}
}

/** A tenant gets another owner, who administers without a role; null for none. In a transaction. */
export class OwnerChanged {
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly before: string | null,
    readonly after: string | null,
  ) {}
}

/** Users are no longer owner or break-glass account of their tenant. The transaction is committed. */
export class ProtectionEnded {
  constructor(
    readonly by: RequestedBy,
    readonly userIds: readonly string[],
  ) {}
}

/** A webhook endpoint whose maker has ended. */
export interface LeftEndpoint {
  id: string;
  description: string | null;
  /** The rest of the address can hold a secret. */
  host: string;
  paused: boolean;
}

/** A key or a user ends, in a transaction, with what was made in its name. Rooms add what continues to `endpoints`. */
export class MakerEnding {
  readonly endpoints: LeftEndpoint[] = [];

  /** @param pause endpoints that continue are paused */
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly maker: { keyId: string } | { userId: string },
    readonly pause: boolean,
  ) {}
}
