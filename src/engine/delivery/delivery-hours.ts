import type { SqlRunner } from '../../base/database/database.js';
import type { DestinationKey } from './destination.js';
import type { SettledStep } from './lane-state.js';
import { countLags } from './lags.rules.js';

/** The calls to one destination in one hour. */
export interface DeliveryHour {
  hour: Date;
  accepted: number;
  confirmed: number;
  failed: number;
  parked: number;
  /** The number of confirmed calls by lag (`lags.rules.ts`). */
  lags: number[];
}

/** Hours are kept for two years and a month: a year can be compared with the one before. */
const KEPT = `interval '25 months'`;

/**
 * Returns the statement that adds to the totals of hours. It is part of the statement or transaction that writes the facts, so
 * that a process that is killed leaves both or none.
 *
 * @param rows SQL of the rows: tenant, channel, destination, hour, accepted, confirmed, failed, parked, lags
 */
export function addHoursSql(rows: string): string {
  return `
    insert into delivery_hours as h (tenant_id, channel, destination, hour, accepted, confirmed, failed, parked, lags)
    ${rows}
    on conflict (tenant_id, channel, destination, hour) do update set accepted = h.accepted + excluded.accepted,
      confirmed = h.confirmed + excluded.confirmed, failed = h.failed + excluded.failed, parked = h.parked + excluded.parked,
      lags = case when excluded.lags = '{}' then h.lags else (
        select array_agg(coalesce(a, 0) + coalesce(b, 0) order by n)
        from unnest(h.lags, excluded.lags) with ordinality as u(a, b, n)) end`;
}

const ADD_OUTCOMES = addHoursSql(
  `select $1, $2, $3, date_trunc('hour', now()), 0, $4::int, $5::int, $6::int, $7::int[]`,
);

export async function addOutcomes(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  steps: readonly SettledStep[],
  parked: number,
): Promise<void> {
  const confirmed = steps.filter(({ event }) => event.kind === 'settled' && event.done && event.givenUp === undefined);
  const failed = steps.filter(({ event }) => event.kind === 'settled' && event.failed).length;
  if (confirmed.length + failed + parked === 0) return;
  const values = [tenantId, channel, id, confirmed.length, failed, parked, countLags(confirmed.map(lagOf))];
  await tx.query(ADD_OUTCOMES, values);
}

export function lagOf({ lane: { waitedMs, claimedAt } }: SettledStep): number {
  return waitedMs + performance.now() - claimedAt;
}

/** Adds accepted changes to their hours, and removes hours that are too old. */
export async function addAccepted(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  hours: readonly Pick<DeliveryHour, 'hour' | 'accepted'>[],
): Promise<void> {
  await tx.query(
    addHoursSql(`select $1, $2, $3, a.hour, a.accepted, 0, 0, 0, '{}'
      from unnest($4::timestamptz[], $5::int[]) as a(hour, accepted)`),
    [tenantId, channel, id, hours.map(({ hour }) => hour), hours.map(({ accepted }) => accepted)],
  );
  await tx.query(
    `delete from delivery_hours where tenant_id = $1 and channel = $2 and destination = $3 and hour < now() - ${KEPT}`,
    [tenantId, channel, id],
  );
}

/** SQL of the hours `h` of a destination in a range; the parameters are tenant, channel, destination, from, to. */
export const HOURS_OF = `select h.hour, h.accepted, h.confirmed, h.failed, h.parked, h.lags from delivery_hours h
  where h.tenant_id = $1 and h.channel = $2 and h.destination = $3 and h.hour >= $4 and h.hour < $5`;
