import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import {
  ChangeParked,
  DestinationBack,
  DestinationFailing,
  DestinationPaused,
  DestinationRecovered,
} from '../delivery.events.js';
import { unpark } from '../lanes/admin.js';
import type { Destination, DestinationKey, DestinationState } from '../destination.js';
import { STAGES } from '../retry.rules.js';
import { looksMisconfigured, withRefusal, type SubjectRefusal } from '../destination.rules.js';

const BY_KEY = `tenant_id = $1 and channel = $2 and id = $3`;
const PAUSED = `state = 'paused', state_since = now(), next_probe_at = null, version = version + 1, updated_at = now()`;

interface RefusalJudged {
  park: boolean;
  pausedNow: boolean;
}

/**
 * The state of each destination, which all processes share. A worker writes its conclusions only at the version that it read:
 * the destination may have changed since its call went out.
 */
@Injectable()
export class DestinationStatesRepository {
  constructor(
    private readonly db: Database,
    private readonly events: DomainEvents,
  ) {}

  /** Stops all calls until an administrator acts. Returns false if the destination was paused for this reason already. */
  async pause(db: SqlRunner, key: DestinationKey, reason: string, detail: string | null): Promise<boolean> {
    const { rowCount } = await db.query(
      `update destinations set ${PAUSED}, state_reason = $4, state_detail = $5
       where ${BY_KEY} and not (state = 'paused' and state_reason = $4)`,
      [...of(key), reason, detail],
    );
    if (rowCount === 1) await this.events.publish(new DestinationPaused(db, key, reason, detail));
    return rowCount === 1;
  }

  async pauseAll(tx: SqlRunner, reason: string, detail: string): Promise<string[]> {
    const { rows } = await tx.query<DestinationKey>(
      `update destinations set ${PAUSED}, state_reason = $1, state_detail = $2
       returning tenant_id as "tenantId", channel, id`,
      [reason, detail],
    );
    for (const key of rows) await this.events.publish(new DestinationPaused(tx, key, reason, detail));
    return [...new Set(rows.map(({ tenantId }) => tenantId))];
  }

  /** Pauses, unless the destination has changed since the call went out. */
  async pauseIfUnchanged(destination: Destination, reason: string, detail: string): Promise<boolean> {
    return this.db.transaction(destination.tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update destinations set ${PAUSED}, state_reason = $5, state_detail = $6
         where ${BY_KEY} and version = $4 and state <> 'paused'`,
        [...of(destination), destination.version, reason, detail],
      );
      if (rowCount === 1) await this.events.publish(new DestinationPaused(tx, destination, reason, detail));
      return rowCount === 1;
    });
  }

  /** Opens a destination again, for any reason of the pause; false when calls were not stopped. */
  async resume(db: SqlRunner, key: DestinationKey): Promise<boolean> {
    const { rows } = await db.query<{ reason: string | null }>(
      `select state_reason as reason from destinations where ${BY_KEY}`,
      of(key),
    );
    if (rows[0]?.reason === 'looks_misconfigured') await unpark(db, key, { refusedInARow: true });
    const { rowCount } = await db.query(
      `update destinations set state = 'ok', state_reason = null, state_detail = null, state_since = now(), probes = 0,
         next_probe_at = null, refusals = '[]', failing_since = null, failing_stage = 0, version = version + 1,
         updated_at = now()
       where ${BY_KEY} and state <> 'ok'`,
      of(key),
    );
    if (rowCount === 1) await this.events.publish(new DestinationBack(db, key, 0));
    return rowCount === 1;
  }

  /**
   * Notes that the destination is away. If it was back for less than a minute, its pauses continue to grow.
   *
   * @param pauseMs gets the number of probes that failed before
   * @returns false if another worker noted it first
   */
  async open(destination: Destination, reason: string, pauseMs: (probes: number) => number): Promise<boolean> {
    return this.db.transaction(destination.tenantId, async (tx) => {
      const { rows } = await tx.query<{ probes: number }>(
        `select case when state_since > now() - interval '1 minute' then probes else 0 end as probes
         from destinations where ${BY_KEY} and version = $4 and state = 'ok' for update`,
        [...of(destination), destination.version],
      );
      if (rows[0] === undefined) return false;
      await tx.query(
        `update destinations set state = 'open', state_reason = $4, state_detail = null, state_since = now(),
           probes = $5, next_probe_at = now() + $6 * interval '1 millisecond', version = version + 1, updated_at = now()
         where ${BY_KEY}`,
        [...of(destination), reason, rows[0].probes, pauseMs(rows[0].probes)],
      );
      return true;
    });
  }

  /** Takes the turn to probe. The time until the next probe covers the call, so that only one probe is out. */
  async mayProbe(destination: Destination, callMs: number): Promise<{ probes: number } | null> {
    const { rows } = await this.db.query<{ probes: number }>(
      `update destinations set next_probe_at = now() + $5 * interval '1 millisecond'
       where ${BY_KEY} and version = $4 and state = 'open' and next_probe_at <= now() returning probes`,
      [destination.tenantId, destination.channel, destination.id, destination.version, callMs],
    );
    return rows[0] ?? null;
  }

  /** Notes that a probe failed, or found nothing to send. `failed` makes the next pauses longer. */
  async probeAgain(destination: Destination, pauseMs: number, failed: boolean, reason: string | null): Promise<void> {
    await this.db.query(
      `update destinations set next_probe_at = now() + $5 * interval '1 millisecond', probes = probes + $6::boolean::int,
         state_reason = coalesce($7, state_reason)
       where ${BY_KEY} and version = $4 and state = 'open'`,
      [destination.tenantId, destination.channel, destination.id, destination.version, pauseMs, failed, reason],
    );
  }

  /** Notes that the destination is back, after a number of failed probes. Returns false if another worker noted it first. */
  async close(destination: Destination, probes: number): Promise<boolean> {
    return this.db.transaction(destination.tenantId, async (tx) => {
      const { rowCount } = await tx.query(
        `update destinations set state = 'ok', state_reason = null, state_detail = null, state_since = now(),
           next_probe_at = null, version = version + 1, updated_at = now()
         where ${BY_KEY} and state = 'open' and epoch = $4`,
        [...of(destination), destination.epoch],
      );
      if (rowCount === 1) await this.events.publish(new DestinationBack(tx, destination, probes));
      return rowCount === 1;
    });
  }

  /**
   * Judges a refusal of one subject, who is parked already. The fifth different subject in a row that is refused alike shows
   * that the subjects are not the cause: the destination is paused, and the subjects parked by it are sent again.
   */
  async refused(key: DestinationKey, subject: string, through: number, status: number): Promise<RefusalJudged> {
    return this.db.transaction(key.tenantId, async (tx) => {
      const { rows } = await tx.query<{
        state: DestinationState;
        state_reason: string | null;
        refusals: SubjectRefusal[];
        last_success_at: Date | null;
        now: Date;
      }>(
        `select state, state_reason, refusals, last_success_at, clock_timestamp() as now
         from destinations where ${BY_KEY} for update`,
        of(key),
      );
      const row = rows[0];
      if (row === undefined) return { park: true, pausedNow: false };
      if (row.state === 'paused' && row.state_reason === 'looks_misconfigured') {
        await unpark(tx, key, { refused: [subject] });
        return { park: false, pausedNow: false };
      }
      const refusal = { user_id: subject, status, at: row.now.toISOString() };
      const refusals = withRefusal(row.refusals, refusal, row.last_success_at);
      const misconfigured = looksMisconfigured(refusals);
      await tx.query(`update destinations set refusals = $4::jsonb where ${BY_KEY}`, [
        ...of(key),
        JSON.stringify(misconfigured ? [] : refusals),
      ]);
      if (!misconfigured) {
        await this.events.publish(new ChangeParked(tx, key, subject, through, 'refused'));
        return { park: true, pausedNow: false };
      }
      await this.pause(tx, key, 'looks_misconfigured', `five users in a row were refused with ${status}`);
      await unpark(tx, key, { refused: refusals.map((r) => r.user_id) });
      return { park: false, pausedNow: true };
    });
  }

  /**
   * Notes since when a destination only fails. The last stage pauses it.
   *
   * @returns whether it is paused now
   */
  async failing(destination: Destination, stage: number, reason: string): Promise<boolean> {
    return this.db.transaction(destination.tenantId, async (tx) => {
      const { rows } = await tx.query<{ since: Date; former: number }>(
        `with d as (select failing_stage from destinations where ${BY_KEY} for update)
         update destinations set failing_since = coalesce(failing_since, now()), failing_stage = greatest(failing_stage, $4)
         where ${BY_KEY} returning failing_since as since, (select failing_stage from d) as former`,
        [...of(destination), stage],
      );
      const [row] = rows;
      if (row === undefined || row.former >= stage) return false;
      if (stage === STAGES.ended) return this.pause(tx, destination, 'failing', reason);
      await this.events.publish(new DestinationFailing(tx, destination, row.since, stage, reason));
      return false;
    });
  }

  async recovered(destination: Destination): Promise<void> {
    await this.db.transaction(destination.tenantId, async (tx) => {
      const { rows } = await tx.query<{ since: Date; stage: number }>(
        `with d as (
           select failing_since, failing_stage from destinations
           where ${BY_KEY} and failing_since is not null for update
         )
         update destinations set failing_since = null, failing_stage = 0
         where ${BY_KEY} and exists (select 1 from d)
         returning (select failing_since from d) as since, (select failing_stage from d) as stage`,
        of(destination),
      );
      const [row] = rows;
      if (row === undefined || row.stage === STAGES.none) return;
      await this.events.publish(new DestinationRecovered(tx, destination, row.since));
    });
  }

  /** Counts platforms by state, for the metrics. Endpoints of webhooks are the tenants' matter. */
  async countByState(): Promise<Record<DestinationState, number>> {
    const { rows } = await this.db.query<{ state: DestinationState; n: string }>(
      `select state, count(*) as n from destinations where channel = 'platform' group by state`,
    );
    const counts: Record<DestinationState, number> = { ok: 0, open: 0, paused: 0 };
    for (const row of rows) counts[row.state] = Number(row.n);
    return counts;
  }
}

function of({ tenantId, channel, id }: DestinationKey): [string, string, string] {
  return [tenantId, channel, id];
}
