import type { SqlRunner } from '../../base/database/database.js';
import type { AuditBy } from './audit/audit.service.js';
import type { RequestedBy } from './caller.js';
import type { ConsoleAccess } from './roles.dto.js';

/**
 * Why a credential was refused. `incomplete`: it has the form of a token, and its length or checksum is wrong, so it was cut or
 * changed. `doubled_bearer`: the header says `Bearer` twice. `no_bearer`: the header does not say it. `not_a_scim_token`: a
 * credential of another kind.
 */
export type CredentialRefusalReason =
  'expired' | 'revoked' | 'unknown' | 'not_a_scim_token' | 'incomplete' | 'doubled_bearer' | 'no_bearer';

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

/** A SCIM token was refused. */
export class TokenRefused {
  constructor(
    readonly tenantId: string,
    /** Null: the token is unknown, so every directory of the tenant may be meant. */
    readonly directoryId: string | null,
    /** `prefix` holds no part of the secret. */
    readonly refusal: { at: string; reason: CredentialRefusalReason; prefix: string },
  ) {}
}

/** Directories have sent requests; the times of the last ones. */
export class DirectoriesSeen {
  constructor(readonly uses: readonly { tenantId: string; directoryId: string; at: Date }[]) {}
}
