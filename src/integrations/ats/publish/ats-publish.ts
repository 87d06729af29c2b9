import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { LaneWakeups } from '../../../engine/delivery/lane-state.js';
import { DestinationStatesRepository } from '../../../engine/delivery/destinations/destination-states.repository.js';
import { removeDestination } from '../../../engine/delivery/destinations/destinations.repository.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import type { AtsConnection } from '../connections/connection.js';
import { destinationOf } from './ats-destinations.js';
import { AtsWriters } from './ats-writers.js';
import { AtsWritesRepository } from './ats-writes.repository.js';

type Key = Pick<AtsConnection, 'tenantId' | 'id'>;

/** What the administration of connections asks of the writes. */
@Injectable()
export class AtsPublish {
  constructor(
    private readonly db: Database,
    private readonly writes: AtsWritesRepository,
    private readonly writers: AtsWriters,
    private readonly states: DestinationStatesRepository,
    private readonly wakeups: LaneWakeups,
    events: DomainEvents,
  ) {
    events.on(AtsConnectionReady, ({ connection }) => this.resume(connection));
  }

  /** Lets what waits go out now: the connection has another credential or writer, or is not paused any more. */
  async resume(connection: Key): Promise<void> {
    this.writers.forget(connection);
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
}
