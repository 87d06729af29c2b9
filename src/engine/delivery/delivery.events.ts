import type { SqlRunner } from '../../base/database/database.js';
import type { TriedMessage } from './outcome.js';
import type { DestinationKey } from './destination.js';

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
    /** The probes that failed before; 0 when an administrator has resumed the destination. */
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

/** A destination has failed without any success. Part of the transaction that notes the stage. */
export class DestinationFailing {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    readonly since: Date,
    /** One of `STAGES` before the last, which pauses the destination. */
    readonly stage: number,
    readonly reason: string,
  ) {}
}

/** The first success after a streak of failures. Part of the transaction that notes it. */
export class DestinationRecovered {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    readonly since: Date,
  ) {}
}

/** A message is not tried any more. Part of the transaction that ends or moves its lane. */
export class MessageGivenUp {
  constructor(
    readonly tx: SqlRunner,
    readonly destination: DestinationKey,
    readonly sequence: number,
    readonly reason: string,
    readonly message: TriedMessage | null,
  ) {}
}
