import { Injectable } from '@nestjs/common';
import { SealError, Sealer } from '../base/crypto/seal.js';
import { Database, type SqlRunner } from '../base/database/database.js';
import { DEFAULT_SETTINGS, type Destination, type DestinationSettings, type DestinationState } from './destination.js';
import { looksMisconfigured, withRefusal, type Refusal } from './destination.rules.js';

/** A change of a destination; what is left out stays. */
export interface DestinationChange {
  baseUrl?: string;
  /** Null takes the key away. */
  key?: string | null;
  settings?: Partial<Omit<DestinationSettings, 'paths'>>;
  paths?: Partial<DestinationSettings['paths']>;
}

interface Row {
  tenant_id: string;
  base_url: string;
  key_sealed: string | null;
  key_hint: string | null;
  settings: Partial<DestinationSettings>;
  version: number;
  epoch: number;
  state: DestinationState;
  state_reason: string | null;
  state_detail: string | null;
  state_since: Date;
  next_probe_at: Date | null;
  last_success_at: Date | null;
  has_refusals: boolean;
  updated_at: Date;
}

const COLUMNS = `tenant_id, base_url, key_sealed, key_hint, settings, version, epoch, state, state_reason, state_detail,
  state_since, next_probe_at, last_success_at, refusals <> '[]' as has_refusals, updated_at`;

const aadOf = (tenantId: string): string => `${tenantId}:destinations.key`;

/** The platform connection of each tenant, and the state it is in. Every state change tells at whose version it aimed. */
@Injectable()
export class DestinationsRepository {
  constructor(
    private readonly db: Database,
    private readonly sealer: Sealer,
  ) {}

  async read(tenantId: string, db: SqlRunner = this.db): Promise<Destination | null> {
    const { rows } = await db.query<Row>(`select ${COLUMNS} from destinations where tenant_id = $1`, [tenantId]);
    return rows[0] ? this.destination(rows[0]) : null;
  }

  /** The same, held until the end of the transaction. */
  async lock(tx: SqlRunner, tenantId: string): Promise<Destination | null> {
    const { rows } = await tx.query<Row>(`select ${COLUMNS} from destinations where tenant_id = $1 for update`, [
      tenantId,
    ]);
    return rows[0] ? this.destination(rows[0]) : null;
  }

  /**
   * Makes or changes a tenant's destination. Another address begins a new epoch. Whatever kept it from being used is
   * over with a change, except a pause by hand. Out: the destination as it is now, and whether the address moved.
   */
  async save(
    tx: SqlRunner,
    tenantId: string,
    change: DestinationChange,
  ): Promise<{ before: Destination | null; after: Destination; moved: boolean }> {
    const before = await this.lock(tx, tenantId);
    const baseUrl = change.baseUrl ?? before?.baseUrl;
    if (baseUrl === undefined) throw new Error('a destination needs an address');
    if (before?.stateReason === 'looks_misconfigured') await this.takeBackAll(tx, tenantId);
    const { key } = change;
    const known = before?.settings ?? DEFAULT_SETTINGS;
    const settings = { ...known, ...change.settings, paths: { ...known.paths, ...change.paths } };
    const moved = before !== null && before.baseUrl !== baseUrl;
    const { rows } = await tx.query<Row>(
      `insert into destinations as d (tenant_id, base_url, key_sealed, key_hint, settings)
       values ($1, $2, $3, $4, $5::jsonb)
       on conflict (tenant_id) do update set
         base_url = excluded.base_url,
         key_sealed = case when $7 then excluded.key_sealed else d.key_sealed end,
         key_hint = case when $7 then excluded.key_hint else d.key_hint end,
         settings = excluded.settings, version = d.version + 1, epoch = d.epoch + $6::boolean::int,
         state = case when d.state_reason = 'by_hand' then d.state else 'ok' end,
         state_reason = case when d.state_reason = 'by_hand' then d.state_reason end,
         state_detail = case when d.state_reason = 'by_hand' then d.state_detail end,
         state_since = case when d.state = 'ok' or d.state_reason = 'by_hand' then d.state_since else now() end,
         probes = 0, next_probe_at = null, refusals = '[]', updated_at = now()
       returning ${COLUMNS}`,
      [
        tenantId,
        baseUrl,
        key == null ? null : this.sealer.seal(key, aadOf(tenantId)),
        key == null ? null : key.slice(-4),
        JSON.stringify(settings),
        moved,
        key !== undefined,
      ],
    );
    return { before, after: this.destination(rows[0]!), moved };
  }

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
    await this.takeBackAll(db, tenantId);
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
    return this.db.transaction(async (tx) => {
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
    return this.db.transaction(async (tx) => {
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
      await this.takeBack(tx, tenantId, refusals.map((r) => r.user_id));
      return { park: false, pausedNow: true };
    });
  }

  /** Whoever was parked in the same row of refusals, and for whom a process ended before it could take them back. */
  private async takeBackAll(tx: SqlRunner, tenantId: string): Promise<void> {
    await tx.query(
      `update lanes l set parked = null, parked_detail = null, parked_at = null, attempts = 0, next_at = '-infinity'
       from destinations d
       where d.tenant_id = $1 and d.state_reason = 'looks_misconfigured' and l.tenant_id = $1 and l.parked = 'refused'
         and l.parked_at > coalesce(d.last_success_at, '-infinity')`,
      [tenantId],
    );
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

  private destination(row: Row): Destination {
    return {
      tenantId: row.tenant_id,
      baseUrl: row.base_url,
      key: this.keyOf(row),
      keyHint: row.key_hint,
      settings: { ...DEFAULT_SETTINGS, ...row.settings, paths: { ...DEFAULT_SETTINGS.paths, ...row.settings.paths } },
      version: row.version,
      epoch: row.epoch,
      state: row.state,
      stateReason: row.state_reason,
      stateDetail: row.state_detail,
      stateSince: row.state_since,
      nextProbeAt: row.next_probe_at,
      lastSuccessAt: row.last_success_at,
      hasRefusals: row.has_refusals,
      updatedAt: row.updated_at,
    };
  }

  /** A key that cannot be opened is as good as none: it has to be given again. */
  private keyOf(row: Row): string | null {
    if (row.key_sealed === null) return null;
    try {
      return this.sealer.unseal(row.key_sealed, aadOf(row.tenant_id));
    } catch (error) {
      if (error instanceof SealError) return null;
      throw error;
    }
  }
}
