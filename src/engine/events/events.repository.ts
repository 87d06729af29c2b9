import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { EventData, EventName } from './catalogue.js';
import { EventRecorder } from './event-recorder.js';

/** An event that is to be recorded. */
export interface NewEvent<Name extends EventName = EventName> {
  event: Name;
  data: EventData[Name];
  /** The event is recorded once for each value; left out: each time. */
  threshold?: string;
}

/** The statements of events. */
@Injectable()
export class EventsRepository {
  constructor(
    private readonly db: Database,
    private readonly recorder: EventRecorder,
  ) {}

  /**
   * Records events of a tenant, in the transaction of their facts.
   *
   * @param db the transaction; a fact without one (a date that comes nearer) has none
   * @returns the names of those recorded: an event whose threshold was recorded before is left out
   */
  async record(tenantId: string, events: readonly NewEvent[], db: SqlRunner = this.db): Promise<EventName[]> {
    return this.recorder.record(
      db,
      tenantId,
      events.map(({ event, data, threshold }) => ({ event, record: null, data: JSON.stringify(data), threshold })),
    );
  }
}
