import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { Database } from '../../base/database/database.js';
import { pendingFiguresOf } from '../../engine/delivery/lanes/read.js';
import { EventReader } from '../../engine/events/event-reader.js';
import { eventId } from '../../engine/events/event-recorder.js';
import { platformOf } from '../../forwarding/connections.js';
import { PlatformService } from '../../forwarding/platform/platform.service.js';
import { EngineService } from '../../hiring/interviews/engine/engine.service.js';
import type { HeldReason } from '../../tenancy/identity/person.js';
import type { StatusBody } from './status.dto.js';

interface HeldRow {
  reason: HeldReason;
  directory_id: string | null;
  n: number;
}

export function heldCounts(rows: readonly HeldRow[]): {
  held: Record<string, number>;
  guard: { held: number; directories: string[] };
} {
  const held: Record<string, number> = {};
  for (const { reason, n } of rows) held[reason] = (held[reason] ?? 0) + n;
  const directories = rows.flatMap(({ reason, directory_id: id }) => (reason === 'guard' && id !== null ? [id] : []));
  return { held, guard: { held: held['guard'] ?? 0, directories: directories.sort() } };
}

interface StatusRate {
  rate: { last_5_minutes: number; last_15_minutes: number };
  estimated_end: Date | null;
}

/**
 * Returns changes per minute, and the estimated moment at which no change waits.
 *
 * @param figures waiting changes, and changes delivered in the last 5 and 15 minutes
 * @param now the moment of the figures
 */
export function rateOf(figures: { waiting: number; delivered5: number; delivered15: number }, now: Date): StatusRate {
  const [last5, last15] = [figures.delivered5 / 5, figures.delivered15 / 15];
  const pace = last5 > 0 ? last5 : last15;
  const rate = { last_5_minutes: rounded(last5), last_15_minutes: rounded(last15) };
  if (figures.waiting === 0 || pace === 0) return { rate, estimated_end: null };
  return { rate, estimated_end: new Date(now.getTime() + (figures.waiting / pace) * 60_000) };
}

function rounded(rate: number): number {
  return Math.round(rate * 10) / 10;
}

/** The newest event is searched among this number of changes: not each change is an event. */
const NEWEST = 10;

/** Held users above this number are not counted. */
const MOST_HELD = 10_000;

/** Reads the state of a tenant from the rooms below. */
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
