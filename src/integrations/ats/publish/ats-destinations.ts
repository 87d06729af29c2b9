import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../../../engine/delivery/destination.js';
import { DestinationsRepository, REMOVED } from '../../../engine/delivery/destinations/destinations.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import { ATS } from './write.js';

/**
 * The pace of the calls is the connection's own, so a destination has no rate. The time-out is that of a lease: a write is
 * some calls, and one that takes longer is fenced by its own row.
 */
const SETTINGS = { concurrency: 4, timeout_ms: 15_000, rate: null };

/** The destinations of the channel: one for each connection that something was written to. */
@Injectable()
export class AtsDestinations {
  constructor(private readonly destinations: DestinationsRepository) {}

  /** Makes the destination of a connection, where there is none or the last one was removed. */
  async demand(tx: SqlRunner, connection: AtsConnection): Promise<void> {
    const key = destinationOf(connection);
    const known = await this.destinations.read(key, tx);
    if (known !== null && known.stateReason !== REMOVED) return;
    // Calls find their address by the connection; this one only represents it.
    await this.destinations.save(tx, key, {
      baseUrl: connection.baseUrl ?? `ats:${connection.provider}`,
      settings: SETTINGS,
    });
  }
}

/** Returns the key of a connection's destination. */
export function destinationOf({ tenantId, id }: Pick<AtsConnection, 'tenantId' | 'id'>): DestinationKey {
  return { tenantId, channel: ATS, id };
}
