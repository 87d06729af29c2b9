import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { Destination, DestinationState } from './destination.js';
import { looksMisconfigured, withRefusal, type Refusal } from './destination.rules.js';

/**
 * Takes back whoever was parked in the row of refusals that paused a destination: also those for whom a process ended
 * before it could.
 */
export const TAKE_BACK_ALL = `
  update lanes l set parked = null, parked_detail = null, parked_at = null, attempts = 0, next_at = '-infinity'
  from destinations d
  where d.tenant_id = $1 and d.state_reason = 'looks_misconfigured' and l.tenant_id = $1 and l.parked = 'refused'
    and l.parked_at > coalesce(d.last_success_at, '-infinity')`;

/**
 * The state of each destination, which all processes share. What a worker finds out it writes only at the version that
 * it knew: somebody may have changed the destination since its call went out.
 */
@Injectable()
export class DestinationStatesRepository {
  constructor(private readonly db: Database) {}

  /** Stops all calls until a person resumes them or changes the settings. Out: false if it was paused already. */
  async pause(db: SqlRunner, tenantId: string, reason: string, detail: string | null): Promise<boolean> {
    const { rowCount } = await db.query(
      `update destinations set state = 'paused', state_reason = $2, state_detail = $3, state_since = now(),
         next_probe_at = null, version = version + 1, updated_at = now()
       where tenant_id = $1 and not (state = 'paused' and state_reason = $2)`,
      [tenantId, reason, detail],
    );
    return rowCount === 1;
  }

  /** Stops the calls of all tenants, also of those that are paused for another reason. Returns the tenants. */
  async pauseAll(tx: SqlRunner, reason: string, detail: string): Promise<string[]> {
    const { rows } = await tx.query<{ tenant_id: string }>(
      `update destinations set state = 'paused', state_reason = $1, state_detail = $2, state_since = now(),
         next_probe_at = null, version = version + 1, updated_at = now() returning tenant_id`,
      [reason, detail],
    );
    return rows.map(({ tenant_id }) => tenant_id);
  }

  /** The same, if nobody has changed the destination since the call went out. */
  async pauseIfUnchanged(destination: Destination, reason: string, detail: string): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update destinations set state = 'paused', state_reason = $3, state_detail = $4, state_since = now(),
         next_probe_at = null, version = version + 1, updated_at = now()
       where tenant_id = $1 and version = $2 and state <> 'paused'`,
      [destination.tenantId, destination.version, reason, detail],
    );
    return rowCount === 1;
  }

  /** Calls go out again, whatever had stopped them. Out: false if nothing had. */
  async resume(db: SqlRunner, tenantId: string): Promise<boolean> {
    await db.query(TAKE_BACK_ALL, [tenantId]);
    const { rowCount } = await db.query(
      `update destinations set state = 'ok', state_reason = null, state_detail = null, state_since = now(), probes = 0,
         next_probe_at = null, refusals = '[]', version = version + 1, updated_at = now()
       where tenant_id = $1 and state <> 'ok'`,
      [tenantId],
    );
    return rowCount === 1;
  }

  /**
   * The other side is away. If it had been back for less than a minute, the pauses go on growing where they were.
   * `pauseMs` is asked for with the number of probes that failed before. Out: false if others saw it first.
   */
  async open(destination: Destination, reason: string, pauseMs: (probes: number) => number): Promise<boolean> {
    return this.db.transaction(destination.tenantId, async (tx) => {
      const { rows } = await tx.query<{ probes: number }>(
        `select case when state_since > now() - interval '1 minute' then probes else 0 end as probes
         from destinations where tenant_id = $1 and version = $2 and state = 'ok' for update`,
        [destination.tenantId, destination.version],
      );
      if (rows[0] === undefined) return false;
      await tx.query(
        `update destinations set state = 'open', state_reason = $2, state_detail = null, state_since = now(),
           probes = $3, next_probe_at = now() + $4 * interval '1 millisecond', version = version + 1, updated_at = now()
         where tenant_id = $1`,
        [destination.tenantId, reason, rows[0].probes, pauseMs(rows[0].probes)],
      );
      return true;
    });
  }

  /** Asks to be the one that probes. The time until the next probe covers the call, so that there is only ever one. */
  async mayProbe(destination: Destination, callMs: number): Promise<{ probes: number } | null> {
    const { rows } = await this.db.query<{ probes: number }>(
      `update destinations set next_probe_at = now() + $3 * interval '1 millisecond'
       where tenant_id = $1 and version = $2 and state = 'open' and next_probe_at <= now() returning probes`,
      [destination.tenantId, destination.version, callMs],
    );
    return rows[0] ?? null;
  }

  /** The probe failed, or found nobody to speak for: `failed` makes the next pauses longer. */
  async probeAgain(destination: Destination, pauseMs: number, failed: boolean, reason: string | null): Promise<void> {
    await this.db.query(
      `update destinations set next_probe_at = now() + $3 * interval '1 millisecond', probes = probes + $4::boolean::int,
         state_reason = coalesce($5, state_reason)
       where tenant_id = $1 and version = $2 and state = 'open'`,
      [destination.tenantId, destination.version, pauseMs, failed, reason],
    );
  }

  /** The other side is back. Out: false if others saw it first. */
  async close(destination: Destination): Promise<boolean> {
    const { rowCount } = await this.db.query(
      `update destinations set state = 'ok', state_reason = null, state_detail = null, state_since = now(),
         next_probe_at = null, version = version + 1, updated_at = now()
       where tenant_id = $1 and state = 'open' and epoch = $2`,
      [destination.tenantId, destination.epoch],
    );
    return rowCount === 1;
  }

  /**
   * The platform refused somebody, who is parked by now. The fifth different person in a row who is refused alike
   * shows that it is not the people: then the destination is paused, and those who were parked on the way are taken
   * back. Out: whether this one stays parked, and whether this call paused the destination.
   */
  async refused(tenantId: string, userId: string, status: number): Promise<{ park: boolean; pausedNow: boolean }> {
    return this.db.transaction(tenantId, async (tx) => {
      const { rows } = await tx.query<{
        state: DestinationState;
        state_reason: string | null;
        refusals: Refusal[];
        last_success_at: Date | null;
        now: Date;
      }>(
        `select state, state_reason, refusals, last_success_at, clock_timestamp() as now
         from destinations where tenant_id = $1 for update`,
        [tenantId],
      );
      const row = rows[0];
      if (row === undefined) return { park: true, pausedNow: false };
      if (row.state === 'paused' && row.state_reason === 'looks_misconfigured') {
        await this.takeBack(tx, tenantId, [userId]);
        return { park: false, pausedNow: false };
      }
      const refusal = { user_id: userId, status, at: row.now.toISOString() };
      const refusals = withRefusal(row.refusals, refusal, row.last_success_at);
      const misconfigured = looksMisconfigured(refusals);
      await tx.query(`update destinations set refusals = $2::jsonb where tenant_id = $1`, [
        tenantId,
        JSON.stringify(misconfigured ? [] : refusals),
      ]);
      if (!misconfigured) return { park: true, pausedNow: false };
      await this.pause(tx, tenantId, 'looks_misconfigured', `five people in a row were refused with ${status}`);
      await this.takeBack(
        tx,
        tenantId,
        refusals.map((r) => r.user_id),
      );
      return { park: false, pausedNow: true };
    });
  }

  private async takeBack(tx: SqlRunner, tenantId: string, userIds: string[]): Promise<void> {
    await tx.query(
      `update lanes set parked = null, parked_detail = null, parked_at = null, attempts = 0, next_at = '-infinity'
       where tenant_id = $1 and user_id = any($2::text[]) and parked = 'refused'`,
      [tenantId, userIds],
    );
  }

  /** How many destinations are in which state; for the metrics. */
  async countByState(): Promise<Record<DestinationState, number>> {
    const { rows } = await this.db.query<{ state: DestinationState; n: string }>(
      `select state, count(*) as n from destinations group by state`,
    );
    const counts: Record<DestinationState, number> = { ok: 0, open: 0, paused: 0 };
    for (const row of rows) counts[row.state] = Number(row.n);
    return counts;
  }
}
