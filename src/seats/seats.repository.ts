import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import type { Part, WriteStatement } from '../base/database/write-statement.js';
import type { ChangeSource } from '../tenancy/identity/person.js';
import { SeatHolders } from './ledger/seat-holders.js';
import {
  type SeatLimit,
  type SeatLine,
  type SeatPolicy,
  nextSeatMode,
  type SeatMode,
  type SeatModeEvent,
} from './seat.rules.js';

const STEP = { claim: 1, opening: 1, release: -1, update: 0 } as const;

// The sealed count, and the steps of entries of about the last second, which are not sealed yet.
const USED = (tenant: string): string => `
  (coalesce((select count from chain_heads where tenant_id = ${tenant} and chain = 'seats'), 0)
   + coalesce((select sum(delta) from seat_entries where tenant_id = ${tenant} and sequence is null), 0))::int`;

/**
 * The SQL of the seats. The limit is exact, but far from it a claim takes no exclusive lock.
 *
 * In mode `open` a claim share-locks the tenant's limit. It is admitted only if the limit is further away than all
 * claims that can be in flight at once (`max_connections`). In mode `exact` a claim locks the row, counts, and holds
 * the lock to its commit. The change to `exact` takes the same lock, so it waits for every claim in flight. A later
 * claim reads the row again after its share lock, and finds that `mode = 'open'` no longer holds.
 */
@Injectable()
export class SeatsRepository {
  constructor(
    private readonly db: Database,
    private readonly holders: SeatHolders,
  ) {}

  async open(tx: SqlRunner, tenantId: string): Promise<void> {
    await tx.query(`insert into seat_limits (tenant_id) values ($1)`, [tenantId]);
  }

  async limitOf(tenantId: string, db: SqlRunner = this.db): Promise<SeatLimit> {
    const { rows } = await db.query<LimitRow>(`select ${LIMIT_COLUMNS} from seat_limits where tenant_id = $1`, [
      tenantId,
    ]);
    return toLimit(rows[0]);
  }

  /** Returns the seats held now, exact for committed writes. */
  async used(tenantId: string, db: SqlRunner = this.db): Promise<number> {
    const { rows } = await db.query<{ used: number }>(`select ${USED('$1')} as used`, [tenantId]);
    return rows[0]!.used;
  }

  /**
   * Locks the tenant's limit to the end of the transaction, and returns the free seats; 0 without a limit. From now on
   * the tenant counts exactly.
   */
  async lockAndCount(tx: SqlRunner, tenantId: string): Promise<{ limit: SeatLimit; free: number }> {
    const locked = await tx.query<LimitRow>(
      `select ${LIMIT_COLUMNS} from seat_limits where tenant_id = $1 for update`,
      [tenantId],
    );
    const limit = toLimit(locked.rows[0]);
    if (limit.limit === null) return { limit, free: 0 };
    limit.mode = await this.setMode(tx, tenantId, limit.mode, { kind: 'counted' });
    return { limit, free: limit.limit - (await this.used(tenantId, tx)) };
  }

  async setMode(tx: SqlRunner, tenantId: string, mode: SeatMode, event: SeatModeEvent): Promise<SeatMode> {
    const next = nextSeatMode(mode, event);
    if (next !== mode) await tx.query(`update seat_limits set mode = $2 where tenant_id = $1`, [tenantId, next]);
    return next;
  }

  async store(tx: SqlRunner, tenantId: string, { limit, mode, policies }: SeatLimit): Promise<void> {
    await tx.query(
      `insert into seat_limits (tenant_id, seat_limit, mode, directory_policy, api_policy, sign_in_policy, updated_at)
       values ($1, $2, $3, $4, $5, $6, now())
       on conflict (tenant_id) do update set seat_limit = excluded.seat_limit, mode = excluded.mode,
         directory_policy = excluded.directory_policy, api_policy = excluded.api_policy,
         sign_in_policy = excluded.sign_in_policy, updated_at = now()`,
      [tenantId, limit, mode, policies.scim, policies.api, policies['sign-in']],
    );
  }

  /**
   * Makes all claims of a tenant without a limit count, before a limit is set. Returns false when they already counted.
   */
  async beginToCount(tenantId: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update seat_limits set mode = $2 where tenant_id = $1 and mode = 'unlimited'`,
      [tenantId, nextSeatMode('unlimited', { kind: 'limit_changed', limit: 0 })],
    );
    return rowCount !== 0;
  }

  /** Returns tenants whose claims count under the lock, in the order of their ids. */
  async counting(after: string, most: number): Promise<string[]> {
    const { rows } = await this.db.query<{ tenant_id: string }>(
      `select tenant_id from seat_limits where mode = 'exact' and tenant_id > $1 order by tenant_id limit $2`,
      [after, most],
    );
    return rows.map((row) => row.tenant_id);
  }

  /** Returns how many claims can be under way without the tenant's lock. */
  async inFlight(db: SqlRunner = this.db): Promise<number> {
    const { rows } = await db.query<{ n: number }>(`select current_setting('max_connections')::int as n`);
    return rows[0]!.n;
  }

  /**
   * Adds the guard of a claim without an exclusive lock; the subject must demand a row of the part.
   *
   * @param userId the user of the claim, whose row is locked before the limit, as in the exact mode; null for a new
   * user
   */
  guard(statement: WriteStatement, tenantId: string, mode: 'unlimited' | 'open', userId: string | null): Part {
    const claimant =
      mode === 'unlimited' || userId === null
        ? null
        : statement.given((p) => this.holders.lockQuery(p.add(tenantId), p.add(userId)));
    if (mode === 'unlimited') {
      return statement.given(
        (p) => `select 1 from seat_limits where tenant_id = ${p.shared(tenantId)} and mode = 'unlimited'`,
        { each: true },
      );
    }
    // Never together with others: one connection would bring more claims than the distance admits.
    return statement.given((p) => {
      const tenant = p.add(tenantId);
      const after = claimant === null ? '' : `and exists (select 1 from ${claimant.name})`;
      return `select 1 from seat_limits where tenant_id = ${tenant} and mode = 'open' ${after}
        and ${USED(tenant)} <= seat_limit - current_setting('max_connections')::int for share`;
    });
  }

  add(statement: WriteStatement, tenantId: string, line: SeatLine, source: ChangeSource): void {
    statement.add(
      (p) => `insert into seat_entries
        (tenant_id, kind, user_id, delta, role, directory_id, cost_center, reason, source)
        select ${p.shared(tenantId)}, ${p.shared(line.move)}, id, ${STEP[line.move]}, ${p.add(line.role, 'text')},
          ${p.add(line.directoryId, 'text')}, ${p.add(line.costCenter, 'text')}, ${p.add(line.reason)},
          ${p.add(JSON.stringify(source), 'jsonb')} from subject`,
      { each: true },
    );
  }

  /**
   * Adds an `update` line for each holder among the rows of the subject (`id, seat, role, cost_center`), now without a
   * directory.
   */
  addUpdates(statement: WriteStatement, tenantId: string, reason: string, source: ChangeSource): void {
    statement.add(
      (p) => `insert into seat_entries
        (tenant_id, kind, user_id, delta, role, directory_id, cost_center, reason, source)
        select ${p.add(tenantId)}, 'update', id, 0, role, null, cost_center, ${p.add(reason)},
          ${p.add(JSON.stringify(source), 'jsonb')} from subject where seat = 'held'`,
    );
  }

  async addSteps(
    tx: SqlRunner,
    tenantId: string,
    lines: readonly CorrectingLine[],
    source: Omit<ChangeSource, 'request_id'> & { request_id: string | null },
  ): Promise<void> {
    await tx.query(
      `insert into seat_entries
         (tenant_id, kind, user_id, delta, role, directory_id, cost_center, details, reason, source)
       select $1, s.kind, s.user_id, s.delta, s.role, s.directory_id, s.cost_center, s.details, s.reason, $3::jsonb
       from rows from (jsonb_to_recordset($2::jsonb) as (kind text, user_id text, delta smallint, role text,
           directory_id text, cost_center text, details jsonb, reason text)) with ordinality
         as s(kind, user_id, delta, role, directory_id, cost_center, details, reason, place) order by s.place`,
      [tenantId, JSON.stringify(lines), JSON.stringify(source)],
    );
  }
}

export interface CorrectingLine {
  readonly kind: 'repair' | 'correction';
  readonly user_id: string | null;
  readonly delta: number;
  /** Null for a deleted user, and for a line about limit and policy. */
  readonly role: string | null;
  readonly directory_id: string | null;
  readonly cost_center: string | null;
  readonly details: object | null;
  readonly reason: string;
}

interface LimitRow {
  seat_limit: number | null;
  mode: SeatMode;
  directory_policy: SeatPolicy;
  api_policy: SeatPolicy;
  sign_in_policy: SeatPolicy;
}

const LIMIT_COLUMNS = 'seat_limit, mode, directory_policy, api_policy, sign_in_policy';

function toLimit(row: LimitRow | undefined): SeatLimit {
  if (!row) return { limit: null, mode: 'unlimited', policies: { scim: 'wait', api: 'block', 'sign-in': 'wait' } };
  return {
    limit: row.seat_limit,
    mode: row.mode,
    policies: { scim: row.directory_policy, api: row.api_policy, 'sign-in': row.sign_in_policy },
  };
}
