import type { SqlRunner } from '../base/database/database.js';
import type { DestinationKey } from './destinations/destination.js';

/** A destination takes nothing more until an administrator acts. Part of the transaction that pauses it. */
export class DestinationPaused {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    readonly reason: string,
    readonly detail: string | null,
  ) {}
}

/** A destination takes calls again. Part of the transaction that opens it. */
export class DestinationBack {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    /** How many probes failed before; 0: an administrator has resumed it. */
    readonly probes: number,
  ) {}
}

/** A subject is parked with all its changes up to `through`. Part of the transaction that parks it. */
export class ChangeParked {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    readonly subject: string,
    readonly through: number,
    readonly reason: string,
  ) {}
}
