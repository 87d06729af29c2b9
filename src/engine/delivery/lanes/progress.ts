import type { DestinationKey } from '../destination.js';

/** SQL about how far a change has come. Every condition names the tenant, which is $1. */
export interface ProgressSql {
  /** `join` of the lane `l` of each change. */
  joinLane: string;
  /** A source that begins with the lanes that have something pending, which are few, and joins their changes. */
  fromPending: string;
  delivered: string;
  parked: string;
  /** Columns of the lane: `parked`, `parked_detail`, `confirmed_through` and `lane_confirmed_at`. */
  columns: string;
}

/**
 * Returns SQL that tells where the lane of each change stands. A change has no state of its own.
 *
 * @param changes the table of changes with its alias, and the expressions of its tenant, subject and sequence
 */
export function progressSql(
  { channel, id }: Pick<DestinationKey, 'channel' | 'id'>,
  changes: { table: string; tenant: string; subject: string; sequence: string },
): ProgressSql {
  const lane = `l.tenant_id = $1 and l.channel = '${channel}' and l.destination = '${id}'`;
  const { table, tenant, subject, sequence } = changes;
  return {
    joinLane: `left join lanes l on ${lane} and l.subject = ${subject}`,
    fromPending: `lanes l join ${table} on ${lane} and ${tenant} = $1 and ${subject} = l.subject
      and ${sequence} > l.confirmed_through and l.first_pending is not null`,
    delivered: `l.confirmed_through >= ${sequence}`,
    parked: `l.parked_reason is not null`,
    columns: `l.parked_reason as parked, l.parked_detail, l.confirmed_through, l.confirmed_at as lane_confirmed_at`,
  };
}

/** The columns of lanes that plans are made from, for the planner's statistics. */
export const LANE_STATISTICS = 'tenant_id, channel, destination, subject, first_pending, platform_id';
