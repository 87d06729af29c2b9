import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { connectorOf } from '../providers/providers.js';
import { type AtsProgress, atsConnectionBody } from './ats-connection.mapping.js';
import type { AtsConnectionBody } from './ats-connections.dto.js';
import { AtsConnectionsRepository } from './ats-connections.repository.js';
import { AtsConnectionStore, AtsAddresses, type AtsConnectionRow } from './ats-connections.store.js';
import type { AtsConnection } from './connection.js';

/**
 * The problems of a connection. `grant` means *reconnect needed*; every other problem *degraded*.
 * - `grant`: the ATS has withdrawn the access, or refuses the credential.
 * - `reads`: polls and read-backs fail. `writes`: write-backs fail. `writer`: the user as whom it writes is gone.
 * - `signature`: inbound events have a wrong signature. `webhooks`: the poll found changes without a webhook.
 * - `scopes`: the grant lacks scopes.
 */
export type AtsProblem = 'grant' | 'reads' | 'writes' | 'writer' | 'signature' | 'webhooks' | 'scopes';

type Key = Pick<AtsConnection, 'tenantId' | 'id' | 'provider'>;

const MOST_COUNTED = 10_000;

/** The states of connections: their problems, and the events of a change; and connections as the API shows them. */
@Injectable()
export class AtsStates {
  constructor(
    private readonly db: Database,
    private readonly events: EventRecorder,
    private readonly store: AtsConnectionStore,
    private readonly repository: AtsConnectionsRepository,
    private readonly addresses: AtsAddresses,
  ) {}

  /** A known problem costs one read. @param reason a code, such as `rate_limited`, for the state */
  async problem(key: Key, problem: AtsProblem, reason: string): Promise<void> {
    const { rows } = await this.db.query<{ detail: string }>(
      `select detail from ats_problems where tenant_id = $1 and connection_id = $2 and problem = $3`,
      [key.tenantId, key.id, problem],
    );
    if (rows[0]?.detail === reason) return;
    await this.change(key, async (tx) => {
      await tx.query(
        `insert into ats_problems (tenant_id, connection_id, problem, detail)
         select $1, $2, $3, $4 where exists (select 1 from ats_connections where tenant_id = $1 and id = $2)
         on conflict (tenant_id, connection_id, problem) do update set detail = excluded.detail`,
        [key.tenantId, key.id, problem, reason],
      );
    });
  }

  /** Notes that a problem is over. Without a problem this costs one read. */
  async solved(key: Key, problem: AtsProblem): Promise<void> {
    const { rowCount } = await this.db.query(
      `select 1 from ats_problems where tenant_id = $1 and connection_id = $2 and problem = $3`,
      [key.tenantId, key.id, problem],
    );
    if (rowCount === 0) return;
    await this.change(key, async (tx) => {
      await tx.query(`delete from ats_problems where tenant_id = $1 and connection_id = $2 and problem = $3`, [
        key.tenantId,
        key.id,
        problem,
      ]);
    });
  }

  /** Changes the problems of a connection and its state, and records the event of a worse one. */
  private async change({ tenantId, id, provider }: Key, edit: (tx: SqlRunner) => Promise<void>): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      const { rows } = await tx.query<{ state: string; state_reason: string | null }>(
        `select state, state_reason from ats_connections where tenant_id = $1 and id = $2 for update`,
        [tenantId, id],
      );
      const [before] = rows;
      if (before === undefined || before.state === 'disconnected') return;
      await edit(tx);
      const { rows: problems } = await tx.query<{ problem: AtsProblem; detail: string }>(
        `select problem, detail from ats_problems where tenant_id = $1 and connection_id = $2 order by since`,
        [tenantId, id],
      );
      const worst = problems.find(({ problem }) => problem === 'grant') ?? problems[0];
      const state = worst === undefined ? 'ok' : worst.problem === 'grant' ? 'reconnect_needed' : 'degraded';
      const reason = worst?.detail ?? null;
      if (state === before.state && reason === before.state_reason) return;
      await tx.query(
        `update ats_connections set state = $3, state_reason = $4,
           state_since = case when state = $3 then state_since else now() end, updated_at = now()
         where tenant_id = $1 and id = $2`,
        [tenantId, id, state, reason],
      );
      if (state === 'ok' || state === before.state) return;
      const data = JSON.stringify({ ats_connection_id: id, provider, reason });
      const event = state === 'degraded' ? 'ats.degraded' : 'ats.reconnect_needed';
      await this.events.record(tx, tenantId, [{ event, record: null, data }]);
    });
    await this.store.forget(tenantId);
    this.events.wake(tenantId);
  }

  /** Returns one connection. @throws {NotFound} when the tenant has no such connection */
  async view(tenantId: string, id: string): Promise<AtsConnectionBody> {
    const row = await this.repository.row(tenantId, id);
    if (row === undefined) throw new NotFound('ATS connection');
    return (await this.bodiesOf(tenantId, [row]))[0]!;
  }

  /** Returns all connections, oldest first. There are at most twenty. */
  async views(tenantId: string): Promise<AtsConnectionBody[]> {
    return this.bodiesOf(tenantId, await this.repository.rows(tenantId));
  }

  private async bodiesOf(tenantId: string, rows: readonly AtsConnectionRow[]): Promise<AtsConnectionBody[]> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const [facts, known] = await Promise.all([this.repository.factsOf(tenantId, ids), this.progressOf(tenantId, ids)]);
    return rows.flatMap((row) => {
      const [connector, fact, progress] = [connectorOf(row.provider), facts.get(row.id), known.get(row.id)];
      if (connector === undefined || fact === undefined || progress === undefined) return [];
      const credential = this.store.openCredential(tenantId, row.id, row.credential_sealed)?.kind ?? null;
      return [
        atsConnectionBody(row, connector, {
          facts: fact,
          progress,
          inbound: this.addresses.inbound(row.provider),
          credential,
        }),
      ];
    });
  }

  private async progressOf(tenantId: string, ids: readonly string[]): Promise<Map<string, AtsProgress>> {
    const { rows } = await this.db.query<{ id: string; next_at: Date | null; events: number; writes: number }>(
      `select c.id, (select greatest(s.next_at, (
            select e.free_at from work_entries e where e.tenant_id = $1 and e.kind = 'ats.polls' and e.id = c.id and e.failures > 0))
          from ats_syncs s where s.tenant_id = $1 and s.connection_id = c.id) as next_at,
         (select count(*)::int from (select 1 from ats_open_events e where e.tenant_id = $1 and e.connection_id = c.id
            and not e.failed limit ${MOST_COUNTED}) w) as events,
         (select count(*)::int from (select 1 from ats_writes w where w.tenant_id = $1 and w.connection_id = c.id
            and w.state = 'waiting' limit ${MOST_COUNTED}) w) as writes
       from unnest($2::text[]) c (id)`,
      [tenantId, ids],
    );
    return new Map(rows.map((row) => [row.id, { nextRunAt: row.next_at, events: row.events, writes: row.writes }]));
  }
}
