import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { PageRequest } from '../base/http/page.js';
import { newId } from '../base/ids.js';
import type { EventData, EventName } from './catalogue.js';

/** An event as it is stored. */
export interface EventRow {
  id: string;
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
  constructor(private readonly db: Database) {}

  /**
   * Records events of a tenant, in the transaction of their facts.
   *
   * @param db the transaction; a fact without one (a date that comes nearer) has none
   * @returns the names of those recorded: an event whose threshold was recorded before is left out
   */
  async record(tenantId: string, events: readonly NewEvent[], db: SqlRunner = this.db): Promise<EventName[]> {
    if (events.length === 0) return [];
    const thresholds = events.map(({ event, threshold }) => (threshold === undefined ? null : `${event} ${threshold}`));
    const { rows } = await db.query<{ event: EventName }>(
      `with given as (
         select * from unnest($2::text[], $3::text[], $4::jsonb[], $5::text[]) as g(id, event, data, threshold)
       ), passed as (
         insert into event_thresholds (tenant_id, threshold)
         select distinct $1, threshold from given where threshold is not null
         on conflict do nothing returning threshold
       )
       insert into events (tenant_id, id, event, data)
       select $1, g.id, g.event, g.data from given g
       where g.threshold is null or g.threshold in (select threshold from passed) returning event`,
      [
        tenantId,
        events.map(() => newId('evt')),
        events.map(({ event }) => event),
        events.map(({ data }) => JSON.stringify(data)),
        thresholds,
      ],
    );
    return rows.map(({ event }) => event);
  }

  /** Returns one page, newest first, with one row too many. */
  async list(tenantId: string, { event, since }: EventFilter, page: PageRequest): Promise<EventRow[]> {
    const { rows } = await this.db.query<EventRow>(
      `select id, event, at, data from events
       where tenant_id = $1 and ($2::text is null or id < $2) and ($3::text is null or event = $3)
         and ($4::timestamptz is null or at >= $4)
       order by id desc limit $5`,
      [tenantId, page.after, event ?? null, since ?? null, page.limit + 1],
    );
    return rows;
  }
}
