import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { LEASE_SECONDS } from '../calls/heartbeat.js';
import { SERVER } from '../connections/server-name.js';
import type { WaitingState } from '../connections/waiting.rules.js';
import type { Pass, PassReason, PollKind, PollMark } from './pass.js';

const LOOKED_AT = 50;

/** A connection whose next pass, or next page, is due. */
export interface SyncKey {
  tenantId: string;
  connectionId: string;
}

/** A connection that is due, and the name of the server that it calls. */
export type DueSync = SyncKey & { server: string };

/** The polls of one connection in the hands of one worker. */
export interface ClaimedSync extends SyncKey {
  fence: string;
  failures: number;
  reason: PassReason;
  fullIsDue: boolean;
  pass: Pass | null;
}

/** Another worker has the connection by now. */
export class SyncLost extends Error {}

/** The statements of polls. */
@Injectable()
export class SyncsRepository {
  constructor(private readonly db: Database) {}

  /**
   * Returns the connections that are due, those that have waited longest first.
   *
   * @param without servers that are not called now
   */
  async due(without: readonly string[]): Promise<DueSync[]> {
    const { rows } = await this.db.query<DueSync & Record<string, unknown>>(
      `select s.tenant_id as "tenantId", s.connection_id as "connectionId", ${SERVER} as server from ats_syncs s
       join ats_connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
       where s.next_at <= now() and (s.lease_until is null or s.lease_until <= now())
         and not c.paused and c.state <> 'disconnected' and c.credential_sealed is not null
         and ${SERVER} <> all($1::text[])
       order by s.next_at limit ${LOOKED_AT}`,
      [without],
    );
    return rows;
  }

  /** Leases the polls of a connection; null: another worker was quicker. */
  async claim({ tenantId, connectionId }: SyncKey): Promise<ClaimedSync | null> {
    const { rows } = await this.db.query<Omit<ClaimedSync, keyof SyncKey>>(
      `update ats_syncs set fence = fence + 1, lease_until = clock_timestamp() + $3 * interval '1 second'
       where tenant_id = $1 and connection_id = $2 and next_at <= clock_timestamp()
         and (lease_until is null or lease_until <= clock_timestamp())
       returning fence, failures, reason, full_at <= clock_timestamp() as "fullIsDue", pass`,
      [tenantId, connectionId, LEASE_SECONDS],
    );
    return rows[0] === undefined ? null : { tenantId, connectionId, ...rows[0] };
  }

  /** Renews the lease of a worker that lives. */
  async renew({ tenantId, connectionId, fence }: ClaimedSync): Promise<void> {
    await this.db.query(
      `update ats_syncs set lease_until = clock_timestamp() + $4 * interval '1 second'
       where tenant_id = $1 and connection_id = $2 and fence = $3 and lease_until is not null`,
      [tenantId, connectionId, fence, LEASE_SECONDS],
    );
  }

  /**
   * Notes how far a pass is, in the transaction that writes its page, and renews the lease.
   *
   * @param isNew the pass begins: what is asked for from now on is another one
   * @throws {SyncLost} when another worker has the connection
   */
  async keep(tx: SqlRunner, { tenantId, connectionId, fence }: ClaimedSync, pass: Pass, isNew = false): Promise<void> {
    const { rowCount } = await tx.query(
      `update ats_syncs set pass = $4::json, reason = case when $6 then 'scheduled' else reason end, lease_until = clock_timestamp() + $5 * interval '1 second'
       where tenant_id = $1 and connection_id = $2 and fence = $3`,
      [tenantId, connectionId, fence, JSON.stringify(pass), LEASE_SECONDS, isNew],
    );
    if (rowCount !== 1) throw new SyncLost('the polls of the connection were claimed by another worker');
  }

  /** Gives a pass back that is not over. Other connections have their turn before it continues. */
  async pause({ tenantId, connectionId, fence }: ClaimedSync): Promise<void> {
    await this.db.query(
      `update ats_syncs set lease_until = null, next_at = greatest(next_at, clock_timestamp())
       where tenant_id = $1 and connection_id = $2 and fence = $3`,
      [tenantId, connectionId, fence],
    );
  }

  /**
   * Ends a turn with a failure.
   *
   * @param pass where it continues; null: from the beginning
   */
  async failed({ tenantId, connectionId, fence }: ClaimedSync, pass: Pass | null, restMs: number): Promise<void> {
    await this.db.query(
      `update ats_syncs set lease_until = null, failures = failures + 1, pass = $4::json,
         next_at = clock_timestamp() + $5 * interval '1 millisecond'
       where tenant_id = $1 and connection_id = $2 and fence = $3`,
      [tenantId, connectionId, fence, pass === null ? null : JSON.stringify(pass), restMs],
    );
  }

  /** Ends a pass in its transaction. A sync that was asked for by hand meanwhile follows at once. */
  async done(tx: SqlRunner, sync: ClaimedSync, pass: Pass, next: { everyMs: number; fullMs: number }): Promise<void> {
    const { tenantId, connectionId, fence } = sync;
    await tx.query(
      `update ats_syncs set lease_until = null, failures = 0, pass = null,
         next_at = case when reason = 'by_hand' then next_at else clock_timestamp() + $5 * interval '1 millisecond' end,
         full_at = case when $6 and full_at <= $4::timestamptz then clock_timestamp() + $7 * interval '1 millisecond'
                        else full_at end
       where tenant_id = $1 and connection_id = $2 and fence = $3`,
      [tenantId, connectionId, fence, pass.startedAt, next.everyMs, pass.isFull, next.fullMs],
    );
  }

  /** Returns what the pass of a connection waits for; undefined: the connection has none. */
  async stateOf({ tenantId, connectionId }: SyncKey): Promise<WaitingState | undefined> {
    const { rows } = await this.db.query<WaitingState & Record<string, unknown>>(
      `select failures, next_at as "notBefore", lease_until as "leaseUntil" from ats_syncs
       where tenant_id = $1 and connection_id = $2`,
      [tenantId, connectionId],
    );
    return rows[0];
  }

  /** Returns where the next pass over a list begins. */
  async mark({ tenantId, connectionId }: SyncKey, kind: PollKind): Promise<PollMark> {
    const { rows } = await this.db.query<PollMark & Record<string, unknown>>(
      `select since, sync_token as "syncToken", full_at as "fullAt" from ats_polls
       where tenant_id = $1 and connection_id = $2 and kind = $3`,
      [tenantId, connectionId, kind],
    );
    return rows[0] ?? { since: null, syncToken: null, fullAt: null };
  }

  /** Notes that a list was read to its end. */
  async setMark(
    tx: SqlRunner,
    { tenantId, connectionId }: SyncKey,
    kind: PollKind,
    { since, syncToken, fullAt }: PollMark,
  ): Promise<void> {
    await tx.query(
      `insert into ats_polls as p (tenant_id, connection_id, kind, since, sync_token, full_at)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (tenant_id, connection_id, kind) do update set since = excluded.since,
         sync_token = excluded.sync_token, full_at = coalesce(excluded.full_at, p.full_at)`,
      [tenantId, connectionId, kind, since, syncToken, fullAt],
    );
  }
}
