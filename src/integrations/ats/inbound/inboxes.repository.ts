import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { LEASE_SECONDS } from '../calls/heartbeat.js';
import { SERVER } from '../connections/server-name.js';
import type { WaitingState } from '../connections/waiting.rules.js';

// One step of the index for each connection: the cost does not grow with what waits. What waits stands before what failed.
const DUE = `
  with recursive t as (
    (select o.tenant_id, o.connection_id, o.failed from ats_open_events o
     order by o.tenant_id, o.connection_id, o.failed, o.id limit 1)
    union all
    select n.* from t, lateral (
      select o.tenant_id, o.connection_id, o.failed from ats_open_events o
      where (o.tenant_id, o.connection_id) > (t.tenant_id, t.connection_id)
      order by o.tenant_id, o.connection_id, o.failed, o.id limit 1) n
  )
  select t.tenant_id as "tenantId", t.connection_id as "connectionId", c.server
  from t cross join lateral (
    select ${SERVER} as server from ats_connections c
    where c.tenant_id = t.tenant_id and c.id = t.connection_id and not c.paused and c.state <> 'disconnected' limit 1) c
  left join ats_inboxes i on i.tenant_id = t.tenant_id and i.connection_id = t.connection_id
  where not t.failed and (i.lease_until is null or i.lease_until <= now())
    and (i.not_before is null or i.not_before <= now())`;

/** A connection whose events wait. */
export interface InboxKey {
  tenantId: string;
  connectionId: string;
}

/** A connection whose events may be applied now, and the name of the server that they are read back from. */
export type DueInbox = InboxKey & { server: string };

/** The events of one connection in the hands of one worker. */
export interface ClaimedInbox extends InboxKey {
  /** Counts the claims: a worker whose lease has ended writes nothing any more. */
  fence: string;
  /** Failures in a row before this claim. */
  failures: number;
}

/** Another worker has the connection by now: what this one has decided is not written. */
export class LeaseLost extends Error {}

/** The statements by which workers take the events of connections in turns. */
@Injectable()
export class InboxesRepository {
  constructor(private readonly db: Database) {}

  /** Returns the connections with events that wait and may be applied now. */
  async due(): Promise<DueInbox[]> {
    const { rows } = await this.db.query<DueInbox & Record<string, unknown>>(DUE);
    return rows;
  }

  /** Leases the events of a connection; null: another worker was quicker. */
  async claim({ tenantId, connectionId }: InboxKey): Promise<ClaimedInbox | null> {
    const { rows } = await this.db.query<{ fence: string; failures: number }>(
      `insert into ats_inboxes as i (tenant_id, connection_id, fence, lease_until)
       values ($1, $2, 1, clock_timestamp() + $3 * interval '1 second')
       on conflict (tenant_id, connection_id) do update set fence = i.fence + 1, lease_until = excluded.lease_until
         where (i.lease_until is null or i.lease_until <= clock_timestamp())
           and (i.not_before is null or i.not_before <= clock_timestamp())
       returning fence, failures`,
      [tenantId, connectionId, LEASE_SECONDS],
    );
    return rows[0] === undefined ? null : { tenantId, connectionId, ...rows[0] };
  }

  /** Renews the lease of a worker that lives. */
  async renew({ tenantId, connectionId, fence }: ClaimedInbox): Promise<void> {
    await this.db.query(
      `update ats_inboxes set lease_until = clock_timestamp() + $4 * interval '1 second'
       where tenant_id = $1 and connection_id = $2 and fence = $3 and lease_until is not null`,
      [tenantId, connectionId, fence, LEASE_SECONDS],
    );
  }

  /** Returns what the events of a connection wait for; undefined: none was ever applied. */
  async stateOf({ tenantId, connectionId }: InboxKey): Promise<WaitingState | undefined> {
    const { rows } = await this.db.query<WaitingState & Record<string, unknown>>(
      `select failures, not_before as "notBefore", lease_until as "leaseUntil" from ats_inboxes
       where tenant_id = $1 and connection_id = $2`,
      [tenantId, connectionId],
    );
    return rows[0];
  }

  /**
   * Holds off other workers until the commit.
   *
   * @throws {LeaseLost} when another worker has the connection
   */
  async hold(tx: SqlRunner, { tenantId, connectionId, fence }: ClaimedInbox): Promise<void> {
    const { rowCount } = await tx.query(
      `select 1 from ats_inboxes where tenant_id = $1 and connection_id = $2 and fence = $3 for update`,
      [tenantId, connectionId, fence],
    );
    if (rowCount !== 1) throw new LeaseLost('the events of the connection were claimed by another worker');
  }

  /** Gives a connection back. @param restMs its events wait for so long; null: they do not */
  async release({ tenantId, connectionId, fence, failures }: ClaimedInbox, restMs: number | null): Promise<void> {
    await this.db.query(
      `update ats_inboxes set lease_until = null, failures = $4,
         not_before = clock_timestamp() + $5 * interval '1 millisecond'
       where tenant_id = $1 and connection_id = $2 and fence = $3`,
      [tenantId, connectionId, fence, restMs === null ? 0 : failures + 1, restMs],
    );
  }

  /** Ends the pause after failures. A batch that is under way is done again: it calls with the former credential. */
  async resume({ tenantId, connectionId }: InboxKey): Promise<void> {
    await this.db.query(
      `update ats_inboxes set not_before = null, failures = 0, fence = fence + 1, lease_until = null
       where tenant_id = $1 and connection_id = $2 and failures > 0`,
      [tenantId, connectionId],
    );
  }
}
