import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { PageRequest } from '../base/http/page.js';
import type { EventData, EventName } from './catalogue.js';
import { EventRecorder } from './event-recorder.js';

/** An event as it is stored. */
export interface EventRow {
  sequence: string;
  event: EventName;
  at: Date;
  data: object;
}

/** Which events a list shows. */
export interface EventFilter {
  event?: EventName | undefined;
  since?: Date | undefined;
}

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

  /** Returns one page, newest first, with one row too many. */
  async list(tenantId: string, { event, since }: EventFilter, page: PageRequest): Promise<EventRow[]> {
    const { rows } = await this.db.query<EventRow>(
      `select sequence, event, at, data from events
       where tenant_id = $1 and ($2::bigint is null or sequence < $2) and ($3::text is null or event = $3)
         and ($4::timestamptz is null or at >= $4)
       order by sequence desc limit $5`,
      [tenantId, page.after, event ?? null, since ?? null, page.limit + 1],
    );
    return rows;
  }
}
