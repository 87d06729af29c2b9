import type { SqlRunner } from '../../base/database/database.js';

/** A port: what this room asks about the users of a tenant. The room that keeps the users implements it. */
export abstract class KnownUsers {
  /** Returns the query that finds a user while the user is active; the arguments are SQL expressions. */
  abstract activeQuery(tenantId: string, userId: string): string;

  /** Returns the query for the number of users that have a role; the arguments are SQL expressions. */
  abstract countQuery(tenantId: string, role: string): string;

  /** Whether a user of the tenant is active. The user stays so until the transaction ends. */
  abstract isActive(tx: SqlRunner, tenantId: string, userId: string): Promise<boolean>;
}
