import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import type { Lane, LaneEvent } from '../lane-state.js';
import { transition } from './lane.js';
import { LANE_COLUMNS, laneOf, type LaneRow } from './lane-row.mapping.js';
import { write, type LaneChange } from './write.js';

/** A lane that the transaction holds, with the time of the database and its destination as it is now. */
export interface LockedLane {
  subject: string;
  lane: Lane;
  now: Date;
  /** 0: there is no destination. */
  epoch: number;
  lastSuccessAt: Date | null;
}

/**
 * Locks lanes of one destination, in the order of their subjects.
 *
 * @param condition SQL about a lane `l` and its destination `d`, whose parameters begin with $4
 */
export async function lock(
  tx: SqlRunner,
  key: DestinationKey,
  condition: string,
  values: unknown[],
): Promise<LockedLane[]> {
  const { rows } = await tx.query<LaneRow & { now: Date; d_epoch: number | null; last_success_at: Date | null }>(
    `select ${LANE_COLUMNS}, clock_timestamp() as now, d.epoch as d_epoch, d.last_success_at
     from lanes l left join destinations d on d.tenant_id = $1 and d.channel = $2 and d.id = $3
     where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and ${condition}
     order by l.subject for update of l`,
    [key.tenantId, key.channel, key.id, ...values],
  );
  return rows.map((row) => {
    const { subject, now, d_epoch: epoch, last_success_at: lastSuccessAt } = row;
    return { subject, lane: laneOf(row), now, epoch: epoch ?? 0, lastSuccessAt };
  });
}

/** Moves locked lanes by one event each, and writes them. Returns the lanes that changed. */
export async function apply(
  tx: SqlRunner,
  key: DestinationKey,
  locked: readonly LockedLane[],
  eventOf: (lane: LockedLane) => LaneEvent,
): Promise<LaneChange[]> {
  const changes = locked
    .map((it) => ({ subject: it.subject, before: it.lane, after: transition(it.lane, eventOf(it), it.now) }))
    .filter(({ before, after }) => before !== after);
  await write(tx, key, changes);
  return changes;
}
