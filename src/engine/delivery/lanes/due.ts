import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { ASIDE } from '../lane-state.js';
import { CLAIMABLE } from './claim.js';

// One step of the index for each destination: the cost does not grow with what waits. `limit 1` keeps the planner from
// reading the destinations of all tenants for the few that are due.
const DUE = `
  with recursive t as (
    (select l.tenant_id, l.channel, l.destination, l.rank from lanes l where ${CLAIMABLE}
     order by l.tenant_id, l.channel, l.destination, l.rank limit 1)
    union all
    select n.* from t, lateral (
      select l.tenant_id, l.channel, l.destination, l.rank from lanes l
      where ${CLAIMABLE} and (l.tenant_id, l.channel, l.destination) > (t.tenant_id, t.channel, t.destination)
      order by l.tenant_id, l.channel, l.destination, l.rank limit 1) n
  )
  select d.tenant_id as "tenantId", d.channel, d.id, t.rank = ${ASIDE} as aside
  from t cross join lateral (
    select d.* from destinations d where d.tenant_id = t.tenant_id and d.channel = t.channel and d.id = t.destination
    limit 1) d
  where d.state = 'ok' or (d.state = 'open' and d.next_probe_at <= now())`;

/** A destination that something is pending for. */
export interface DueDestination extends DestinationKey {
  /** All that is pending stands aside and waits. */
  aside: boolean;
}

/** Returns the destinations that something is pending for and that would take it. */
export async function due(db: Database): Promise<DueDestination[]> {
  const { rows } = await db.query<DueDestination>(DUE);
  return rows;
}
