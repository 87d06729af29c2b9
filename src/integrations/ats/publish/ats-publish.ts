import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import type { DestinationKey } from '../../../engine/delivery/destination.js';
import { DestinationStatesRepository } from '../../../engine/delivery/destinations/destination-states.repository.js';
import {
  DestinationsRepository,
  REMOVED,
  removeDestination,
} from '../../../engine/delivery/destinations/destinations.repository.js';
import { LaneWakeups } from '../../../engine/delivery/lane-state.js';
import type { AtsApi } from '../api/ats-api.js';
import { AtsConnectionReady } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { AtsWritesRepository } from './ats-writes.repository.js';
import { ATS } from './write.js';

/**
 * The pace belongs to the connection, so a destination has no rate. The time-out is that of a lease: a write takes
 * several calls, and a longer one is fenced by its own row.
 */
const SETTINGS = { concurrency: 4, timeout_ms: 15_000, rate: null };

export function destinationOf({ tenantId, id }: Pick<AtsConnection, 'tenantId' | 'id'>): DestinationKey {
  return { tenantId, channel: ATS, id };
}

const KNOWN_MS = 120_000;
const MOST_KNOWN = 10_000;

type Writer = { id: string | null } | { missing: 'no_writer' | 'writer_gone' };

type Key = Pick<AtsConnection, 'tenantId' | 'id'>;

/** The destinations of the channel, one for each connection, and the cached user of the ATS as whom each writes. */
@Injectable()
export class AtsPublish {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly db: Database,
    private readonly writes: AtsWritesRepository,
    private readonly states: DestinationStatesRepository,
    private readonly wakeups: LaneWakeups,
    events: DomainEvents,
    private readonly destinations: DestinationsRepository,
    private readonly clock: Clock,
  ) {
    events.on(AtsConnectionReady, ({ connection }) => this.resume(connection));
  }

  /** Sends waiting writes now: the connection has another credential or writer, or is no longer paused. */
  private async resume(connection: Key): Promise<void> {
    this.forgetWriter(connection);
    await this.states.resume(this.db, destinationOf(connection));
    this.wakeups.wake(destinationOf(connection));
  }

  /**
   * Ends the writes of a connection that is disconnected, in that transaction.
   *
   * @returns how many were waiting; they stay in the list, as `left`
   */
  async remove(tx: SqlRunner, connection: Key): Promise<number> {
    const left = await this.writes.leaveAll(tx, connection.tenantId, connection.id, 'disconnected');
    await removeDestination(tx, destinationOf(connection));
    return left;
  }

  /** Makes the destination of a connection, where it is missing or was removed. */
  async demandDestination(tx: SqlRunner, connection: AtsConnection): Promise<void> {
    const key = destinationOf(connection);
    const known = await this.destinations.read(key, tx);
    if (known !== null && known.stateReason !== REMOVED) return;
    // Calls find their address by the connection; this one only represents it.
    await this.destinations.save(tx, key, {
      baseUrl: connection.baseUrl ?? `ats:${connection.provider}`,
      settings: SETTINGS,
    });
  }

  /** Returns the user as whom the connection writes. Where the vendor needs a user, the user has to be active. */
  async writerOf(connection: AtsConnection, connector: Connector, api: AtsApi): Promise<Writer> {
    const id = connection.writes.as_user ?? connection.approvedBy;
    if (!connector.writes.needsUser) return { id };
    if (id === null) return { missing: 'no_writer' };
    const key = `${connection.tenantId} ${connection.id} ${id}`;
    const now = this.clock.now().getTime();
    if ((this.known.get(key) ?? 0) > now) return { id };
    const user = await connector.user(api, id);
    if (user?.active !== true) return { missing: 'writer_gone' };
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(key, now + KNOWN_MS);
    return { id };
  }

  forgetWriter({ tenantId, id }: Pick<AtsConnection, 'tenantId' | 'id'>): void {
    for (const key of this.known.keys()) if (key.startsWith(`${tenantId} ${id} `)) this.known.delete(key);
  }
}
