import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { LeaseLost, type Turn } from '../../../base/work/work.js';
import { SERVER } from '../connections/connection.js';
import type { Pass, PassReason, PollKind, PollMark } from './pass.js';

export const SYNC_WORK = 'ats.polls';

/** SQL: the connections whose next pass, or next page, is due. */
export const DUE_SYNCS = `select s.tenant_id, s.connection_id as id, s.next_at as since, ${SERVER} as server from ats_syncs s
  join ats_connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
  where s.next_at <= now() and not c.paused and c.state <> 'disconnected' and c.credential_sealed is not null`;

export interface SyncKey {
  tenantId: string;
  connectionId: string;
}

export interface ClaimedSync extends SyncKey {
  turn: Turn;
  reason: PassReason;
  fullIsDue: boolean;
  pass: Pass | null;
}

@Injectable()
export class SyncsRepository {
  constructor(private readonly db: Database) {}

  /** Returns the polls of a turn; null when they are no longer due. */
  async open(turn: Turn): Promise<ClaimedSync | null> {
    const { tenantId, id: connectionId } = turn;
    const { rows } = await this.db.query<Pick<ClaimedSync, 'reason' | 'fullIsDue' | 'pass'>>(
      `select reason, full_at <= clock_timestamp() as "fullIsDue", pass from ats_syncs
       where tenant_id = $1 and connection_id = $2 and next_at <= clock_timestamp()`,
      [tenantId, connectionId],
    );
    return rows[0] === undefined ? null : { tenantId, connectionId, turn, ...rows[0] };
  }

  /**
   * Notes the progress of a pass, in the transaction that writes its page.
   *
   * @param pass null lets the next one begin anew
   * @param isNew the pass begins: a later request means another one
   * @throws {LeaseLost} when another worker has the connection
   */
  async keep(
    tx: SqlRunner,
    { tenantId, connectionId, turn }: ClaimedSync,
    pass: Pass | null,
    isNew = false,
  ): Promise<void> {
    await turn.hold(tx);
    const { rowCount } = await tx.query(
      `update ats_syncs set pass = $3::json, reason = case when $4 then 'scheduled' else reason end
       where tenant_id = $1 and connection_id = $2`,
      [tenantId, connectionId, pass === null ? null : JSON.stringify(pass), isNew],
    );
    if (rowCount !== 1) throw new LeaseLost('the polls of the connection have ended');
  }

  /** Ends a pass in its transaction. A pass that was requested since follows at once. */
  async done(
    tx: SqlRunner,
    { tenantId, connectionId }: SyncKey,
    pass: Pass,
    next: { everyMs: number; fullMs: number },
  ): Promise<void> {
    await tx.query(
      `update ats_syncs set pass = null,
         next_at = case when reason = 'scheduled' then clock_timestamp() + $4 * interval '1 millisecond' else next_at end,
         full_at = case when $5 and full_at <= $3::timestamptz then clock_timestamp() + $6 * interval '1 millisecond'
                        else full_at end
       where tenant_id = $1 and connection_id = $2`,
      [tenantId, connectionId, pass.startedAt, next.everyMs, pass.isFull, next.fullMs],
    );
  }

  async mark({ tenantId, connectionId }: SyncKey, kind: PollKind): Promise<PollMark> {
    const { rows } = await this.db.query<PollMark & Record<string, unknown>>(
      `select since, sync_token as "syncToken", full_at as "fullAt" from ats_polls
       where tenant_id = $1 and connection_id = $2 and kind = $3`,
      [tenantId, connectionId, kind],
    );
    return rows[0] ?? { since: null, syncToken: null, fullAt: null };
  }

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
