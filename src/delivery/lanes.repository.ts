import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../base/database/database.js';
import type { Call, LeasedLane } from './call.js';
import { ACCOUNT_UNKNOWN, callOf, CALL_COLUMNS, CREATE_OUT, type CallColumns } from './call.sql.js';
import type { Destination } from './destinations/destination.js';
import {
  deliveredValues,
  isPlainDelivery,
  SETTLE,
  SETTLE_DELIVERED,
  settleValues,
  type SettledStep,
  type SettleOptions,
} from './settle.sql.js';

/** What a claim may take. */
export interface ClaimOptions {
  limit: number;
  leaseMs: number;
  /** `probe`: the destination is open, and this is the one call that asks whether it is back. */
  mode: 'normal' | 'probe';
  /** Take a lane although its pause is not over yet. */
  early?: boolean;
}

/** How much waits, over all tenants. */
export interface Backlog {
  waiting: number;
  parked: number;
  oldestSeconds: number;
}

/** How many of the settled lanes have more to say at once, and who was parked. */
export interface Settled {
  more: number;
  parked: { userId: string; reason: string }[];
}

const NOTHING: Settled = { more: 0, parked: [] };

// The gate holds the claim to what the worker believes: a destination that was changed, opened or paused since then
// gives out nothing. What is bound to an earlier address (epoch) is forgotten on the way.
const claimSql = (early: boolean): string => `
  with gate as materialized (
    select epoch from destinations where tenant_id = $1 and version = $2 and state = $3
  ), due as materialized (
    select l.user_id from lanes l
    where l.tenant_id = $1 and l.first_pending is not null and l.parked is null
      and (l.lease_until is null or l.lease_until < now()) ${early ? '' : 'and l.next_at <= now()'}
      and exists (select 1 from gate)
    order by l.rank, l.first_pending limit $4 for update skip locked
  )
  update lanes l set
    lease_until = now() + $5 * interval '1 millisecond',
    lease_token = $6::uuid,
    epoch = g.epoch,
    calling = true,
    calls = case when l.calling and l.epoch = g.epoch then l.calls else l.calls + 1 end,
    call_by = case when l.calling and l.epoch = g.epoch then l.call_by else $6::uuid end,
    call_as = case when l.calling and l.epoch = g.epoch then l.call_as
                   when l.target_state = 'inactive' then $7 when l.target_state = 'deleted' then $8 else 'inactive' end,
    call = case when l.epoch = g.epoch then l.call end,
    platform_id = case when l.epoch = g.epoch then l.platform_id end,
    confirmed_state = case when l.epoch = g.epoch then l.confirmed_state end,
    confirmed_person = case when l.epoch = g.epoch then l.confirmed_person end,
    lookup = case when l.epoch = g.epoch then l.lookup end
  from due, gate g
  where l.tenant_id = $1 and l.user_id = due.user_id
  returning l.user_id, l.tries, ${CALL_COLUMNS}`;
const CLAIM = claimSql(false);
const CLAIM_EARLY = claimSql(true);

// One step of the index for each tenant: the cost does not grow with what waits.
const TENANTS_DUE = `
  with recursive t as (
    (select tenant_id from lanes where first_pending is not null and parked is null order by tenant_id limit 1)
    union all
    select (select l.tenant_id from lanes l where l.first_pending is not null and l.parked is null
              and l.tenant_id > t.tenant_id order by l.tenant_id limit 1)
    from t where t.tenant_id is not null
  )
  select t.tenant_id from t join destinations d using (tenant_id)
  where d.state = 'ok' or (d.state = 'open' and d.next_probe_at <= now())`;

/** The lanes: who has something to be said, who is saying it, and what came of it. */
@Injectable()
export class LanesRepository {
  constructor(private readonly db: Database) {}

  /** The tenants that have something to send and a destination that would take it. */
  async tenantsDue(): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(TENANTS_DUE);
    return rows.map((row) => row.tenant_id);
  }

  /** Leases due lanes of one tenant: leavers first, then by age. Out: none if the destination is not what we think. */
  async claim(destination: Destination, options: ClaimOptions): Promise<LeasedLane[]> {
    const token = randomUUID();
    const claimedAt = performance.now();
    const { rows } = await this.db.query<CallColumns & { user_id: string; tries: number }>(
      options.early ? CLAIM_EARLY : CLAIM,
      [
        destination.tenantId,
        destination.version,
        options.mode === 'probe' ? 'open' : 'ok',
        options.limit,
        options.leaseMs,
        token,
        destination.settings.on_deactivate,
        destination.settings.on_delete,
      ],
    );
    const lanes = rows.map((row): LeasedLane => {
      const call = callOf(row);
      return { userId: row.user_id, token, call, fresh: call.by === token, tries: row.tries, claimedAt };
    });
    // The order of an update's answer is the database's own.
    return lanes.sort((a, b) => rankOf(a.call) - rankOf(b.call) || a.call.first - b.call.first);
  }

  /**
   * Records what became of leased lanes, and their attempts: one statement for plain deliveries, one for the rest. A
   * lease that was lost meanwhile changes nothing. Out: how many have more to say at once, and who was parked.
   */
  async settle(tenantId: string, steps: readonly SettledStep[], options: SettleOptions): Promise<Settled> {
    const plain: SettledStep[] = [];
    const rest: SettledStep[] = [];
    for (const step of steps) (isPlainDelivery(step) ? plain : rest).push(step);
    const { touch } = options;
    const results = await Promise.all([
      plain.length > 0 ? this.settleBy(SETTLE_DELIVERED, deliveredValues(tenantId, plain, touch)) : NOTHING,
      rest.length > 0
        ? this.settleBy(SETTLE, settleValues(tenantId, rest, { ...options, touch: touch && plain.length === 0 }))
        : NOTHING,
    ]);
    return { more: results[0].more + results[1].more, parked: results[1].parked };
  }

  private async settleBy(sql: string, values: unknown[]): Promise<Settled> {
    const { rows } = await this.db.query<{ user_id: string; due: boolean; parked: string | null }>(sql, values);
    return {
      more: rows.filter((row) => row.due).length,
      parked: rows.flatMap((row) => (row.parked === null ? [] : [{ userId: row.user_id, reason: row.parked }])),
    };
  }

  /** After an outage: lanes that were waiting out a failure of their own may go at once. */
  async forgetPauses(tenantId: string): Promise<void> {
    await this.db.query(
      `update lanes set next_at = '-infinity', tries = 0
       where tenant_id = $1 and first_pending is not null and parked is null and next_at > now()`,
      [tenantId],
    );
  }

  /** Whose lane an account of the platform is bound to, other than this user's. */
  async boundTo(tenantId: string, platformId: string, exceptUserId: string): Promise<Bound | null> {
    const { rows } = await this.db.query<Bound>(
      `select l.user_id, l.target_state, l.first_pending is not null as pending, l.parked is not null as parked,
         coalesce(l.lookup ? 'waited', false) as waiting
       from lanes l join destinations d on d.tenant_id = l.tenant_id and d.epoch = l.epoch
       where l.tenant_id = $1 and l.platform_id = $2 and l.user_id <> $3
       order by l.target_state = 'active' desc, pending desc limit 1`,
      [tenantId, platformId, exceptUserId],
    );
    return rows[0] ?? null;
  }

  /**
   * Whose an account of these names may be that is bound to nobody: somebody is creating it, of whom a newer change says
   * otherwise by now; or whoever has the names today has, or may have, one that we do not know (hired again, say).
   */
  async creating(tenantId: string, names: CreatedAs, exceptUserId: string): Promise<Bound | null> {
    const { rows } = await this.db.query<Bound>(
      // Calls that were copied, which are few; and the lane of whoever has the names now.
      `select l.user_id, l.target_state, true as pending, l.parked is not null as parked,
         coalesce(l.lookup ? 'waited', false) as waiting
       from lanes l join destinations d on d.tenant_id = l.tenant_id and d.epoch = l.epoch
       cross join lateral (select (l.call->>'person')::jsonb as person) said
       where l.tenant_id = $1 and l.user_id <> $2 and l.call is not null and ${CREATE_OUT}
         and (said.person->>'external_id' = $3 or lower(said.person->>'email') = lower($4))
       union all
       select l.user_id, l.target_state, l.first_pending is not null as pending, l.parked is not null as parked,
         coalesce(l.lookup ? 'waited', false) as waiting
       from users u join lanes l on l.tenant_id = u.tenant_id and l.user_id = u.id
       join destinations d on d.tenant_id = l.tenant_id and d.epoch = l.epoch
       where u.tenant_id = $1 and u.id <> $2 and u.status = 'active' and (u.person_external_id = $3 or u.email_key = $5)
         and l.target_state = 'active' and ${ACCOUNT_UNKNOWN}
       limit 1`,
      [tenantId, exceptUserId, names.external_id, names.email, names.email?.toLowerCase() ?? null],
    );
    return rows[0] ?? null;
  }

  /** Frees an account from leavers whose lanes are done, so that nothing of theirs touches it again. */
  async unbindLeavers(tenantId: string, platformId: string, exceptUserId: string): Promise<void> {
    await this.db.query(
      `update lanes set platform_id = null
       where tenant_id = $1 and platform_id = $2 and user_id <> $3 and target_state <> 'active' and first_pending is null`,
      [tenantId, platformId, exceptUserId],
    );
  }

  /** How much waits and for how long; for the metrics. */
  async backlog(): Promise<Backlog> {
    const { rows } = await this.db.query<{ waiting: string; parked: string; oldest: number | null }>(
      `select count(*) filter (where parked is null) as waiting, count(*) filter (where parked is not null) as parked,
              extract(epoch from now() - min(pending_since) filter (where parked is null))::float8 as oldest
       from lanes where first_pending is not null`,
    );
    const [row] = rows;
    return { waiting: Number(row?.waiting ?? 0), parked: Number(row?.parked ?? 0), oldestSeconds: row?.oldest ?? 0 };
  }
}

/** What no two accounts of the platform share. */
export interface CreatedAs {
  external_id: string | null;
  email: string | null;
}

/** The lane that holds an account of the platform. */
export interface Bound {
  user_id: string;
  target_state: Call['state'];
  pending: boolean;
  parked: boolean;
  /** It waits for somebody else itself. */
  waiting?: boolean;
}

function rankOf(call: Call): number {
  return call.state === 'active' ? 1 : 0;
}
