import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { pendingFiguresOf } from '../../engine/delivery/lanes/read.js';
import { eventId } from '../../engine/events/event-recorder.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { EngineService } from '../../hiring/interviews/engine/engine.service.js';
import { platformOf } from '../../forwarding/connections.js';
import { PlatformService } from '../../forwarding/platform/platform.service.js';
import { heldCounts, type HeldRow } from './held-counts.rules.js';
import { rateOf } from './rate.rules.js';
import type { StatusBody } from './status.dto.js';

/** Changes among which the newest event is looked for at once: not each change is an event. */
const NEWEST = 10;

/** Held users that are counted at the most. */
const MOST_HELD = 10_000;

/** Reads how a tenant is doing from the rooms that know it. */
@Injectable()
export class StatusService {
  constructor(
    private readonly db: Database,
    private readonly platform: PlatformService,
    private readonly events: EventReader,
    private readonly interviews: EngineService,
    private readonly clock: Clock,
  ) {}

  async of(tenantId: string): Promise<StatusBody> {
    const [{ state, message, since, last_success_at }, pending, held, last_event, interview_engine] = await Promise.all(
      [
        this.platform.connection(tenantId),
        pendingFiguresOf(this.db, platformOf(tenantId)),
        this.held(tenantId),
        this.lastEvent(tenantId),
        this.engine(tenantId),
      ],
    );
    return {
      destination: { state, message, since, last_success_at },
      waiting: pending.waiting,
      oldest_waiting_since: pending.oldest,
      ...rateOf(pending, this.clock.now()),
      parked: pending.parked,
      ...heldCounts(held),
      interview_engine,
      last_event,
    };
  }

  private async engine(tenantId: string): Promise<StatusBody['interview_engine']> {
    const { state, message, waiting, not_taken } = await this.interviews.show(tenantId);
    return { state, message, waiting, not_taken };
  }

  private async held(tenantId: string): Promise<HeldRow[]> {
    const { rows } = await this.db.query<HeldRow>(
      `select h.held as reason, h.directory_id, count(*)::int as n from (
         select u.held, u.directory_id from users u where u.tenant_id = $1 and u.held is not null
         order by u.held_since, u.id limit ${MOST_HELD}) h
       group by h.held, h.directory_id`,
      [tenantId],
    );
    return rows;
  }

  private async lastEvent(tenantId: string): Promise<StatusBody['last_event']> {
    const { events } = await this.events.part(tenantId, { limit: NEWEST, newestFirst: true });
    const [last] = events;
    return last === undefined ? null : { id: eventId(last.sequence), event: last.event, at: last.at };
  }
}
