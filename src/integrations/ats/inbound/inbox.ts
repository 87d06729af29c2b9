import type { Turn } from '../../../base/work/work.js';
import { SERVER } from '../connections/server-name.js';

/** The kind of the work that applies the events of a connection. */
export const INBOUND_WORK = 'ats.events';

/**
 * The connections with events that wait, as SQL. One step of the index for each connection: the cost does not grow with what
 * waits. What waits is before what failed.
 */
export const DUE_INBOXES = `
  with recursive t as (
    (select o.tenant_id, o.connection_id, o.failed, o.at from ats_open_events o
     order by o.tenant_id, o.connection_id, o.failed, o.id limit 1)
    union all
    select n.* from t, lateral (
      select o.tenant_id, o.connection_id, o.failed, o.at from ats_open_events o
      where (o.tenant_id, o.connection_id) > (t.tenant_id, t.connection_id)
      order by o.tenant_id, o.connection_id, o.failed, o.id limit 1) n
  )
  select t.tenant_id, t.connection_id as id, t.at as since, c.server
  from t cross join lateral (
    select ${SERVER} as server from ats_connections c
    where c.tenant_id = t.tenant_id and c.id = t.connection_id and not c.paused and c.state <> 'disconnected' limit 1) c
  where not t.failed`;

/** A connection whose events wait. */
export interface InboxKey {
  tenantId: string;
  connectionId: string;
}

/** The events of one connection in the hands of one worker. */
export interface ClaimedInbox extends InboxKey {
  /** The turn that has them: one whose lease has ended writes nothing any more. */
  turn: Turn;
}
