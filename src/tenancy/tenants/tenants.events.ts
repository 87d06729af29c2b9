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

/** What the holders of a role may do in the administration of the tenant changes, in a transaction. */
export class RoleConsoleChanged {
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly role: string,
    readonly before: ConsoleAccess,
    readonly after: ConsoleAccess,
  ) {}
}

/** A role of the catalogue is to be deleted, in a transaction: each room adds in how many places it names the role. */
export class RoleDeleting {
  uses = 0;

  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly role: string,
  ) {}
}

/** A tenant gets another owner, who administers without a role; null: none. In a transaction. */
export class OwnerChanged {
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly before: string | null,
    readonly after: string | null,
  ) {}
}

/** Users are neither owner nor break-glass account of their tenant any more. The transaction is committed. */
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

/**
 * A key or a user ends, in a transaction. What was made in its name ends with it; what continues is put into `endpoints` by
 * the rooms that keep it.
 */
export class MakerEnding {
  readonly endpoints: LeftEndpoint[] = [];

  /** @param pause what continues is to be paused */
  constructor(
    readonly tx: SqlRunner,
    readonly by: AuditBy,
    readonly maker: { keyId: string } | { userId: string },
    readonly pause: boolean,
  ) {}
}
