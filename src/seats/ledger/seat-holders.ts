import type { SqlRunner } from '../../base/database/database.js';
import type { ShownPerson } from './event.mapping.js';

/** A user whose row is locked, with the facts of a holder's line in the ledger. */
export interface LockedHolder {
  id: string;
  /** The user is in force with a seat. */
  held: boolean;
  role: string | null;
  directory_id: string | null;
  cost_center: string | null;
}

/** A port: reads users for this room. The arguments of a query are SQL expressions. */
export abstract class SeatHolders {
  abstract heldQuery(tenantId: string): string;

  /** The query that locks a user to the end of the transaction and finds the `id`. */
  abstract lockQuery(tenantId: string, userId: string): string;

  abstract shownQuery(tenantId: string, userId: string): string;

  abstract directoryQuery(tenantId: string, directoryId: string): string;

  /** Locks users in the order of their ids to the end of the transaction. Returns the existing ones. */
  abstract lock(tx: SqlRunner, tenantId: string, userIds: readonly string[]): Promise<LockedHolder[]>;

  /** Counts users who wait for a seat and for nothing else, without `except`, up to `most`. */
  abstract waitingFor(tx: SqlRunner, tenantId: string, except: string | null, most: number): Promise<number>;

  abstract waiting(tenantId: string): Promise<number>;

  abstract held(tenantId: string): Promise<number>;

  /** Returns name and e-mail of users by id, without deleted users. */
  abstract shown(tenantId: string, userIds: readonly string[]): Promise<Map<string, ShownPerson>>;
}
