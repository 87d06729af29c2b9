import type { SqlRunner } from '../../base/database/database.js';
import type { ShownPerson } from './event.mapping.js';

/** A user whose row is locked, with what a line of the ledger has of a holder. */
export interface LockedHolder {
  id: string;
  /** The user is in force with a seat. */
  held: boolean;
  role: string | null;
  directory_id: string | null;
  cost_center: string | null;
}

/**
 * A port: what this room asks about the users of a tenant. The room that keeps the users implements it. The arguments of a
 * query are SQL expressions.
 */
export abstract class SeatHolders {
  /** Returns the query for the `id` of each user in force with a seat. */
  abstract heldQuery(tenantId: string): string;

  /** Returns the query that locks a user to the end of the transaction and finds the `id`. */
  abstract lockQuery(tenantId: string, userId: string): string;

  /** Returns the query for `name`, `email` and `external_id` of a user. */
  abstract shownQuery(tenantId: string, userId: string): string;

  /** Returns the query for the `name` of a directory. */
  abstract directoryQuery(tenantId: string, directoryId: string): string;

  /** Locks users, in the order of their ids, to the end of the transaction. Returns those that exist. */
  abstract lock(tx: SqlRunner, tenantId: string, userIds: readonly string[]): Promise<LockedHolder[]>;

  /** Returns how many users wait for a seat and for nothing else, `except` one, counted up to `most`. */
  abstract waitingFor(tx: SqlRunner, tenantId: string, except: string | null, most: number): Promise<number>;

  /** Returns how many users wait for a seat. */
  abstract waiting(tenantId: string): Promise<number>;

  /** Returns how many users are in force with a seat. */
  abstract held(tenantId: string): Promise<number>;

  /** Returns name and e-mail of users by their ids. A user who was removed is not found. */
  abstract shown(tenantId: string, userIds: readonly string[]): Promise<Map<string, ShownPerson>>;
}
