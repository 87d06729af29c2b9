import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../base/database/database.js';
import { DomainEvents } from '../base/domain-events.js';
import { Logger } from '../base/log/logger.js';
import { AuditService } from '../tenancy/tenants/audit/audit.service.js';
import { sourceOf, type Caller } from '../tenancy/tenants/caller.js';
import { TenantCreated } from '../tenancy/tenants/tenants.events.js';
import { type SeatLimit, type SeatPolicy, nextSeatMode } from './seat.rules.js';
import { SeatsRepository } from './seats.repository.js';
import { RoomMade, SeatsService } from './seats.service.js';

const EVERY_MS = 10;

/**
 * Waits until every earlier statement and transaction in this database is over, of all processes and logins: later ones see
 * every present commit. Each holds a lock on its virtual id from before its first snapshot to its end, and every role may see
 * these locks. A transaction id comes with the first write, so a statement that has only read so far has none. A vacuum of the
 * server has no login, and writes no rows.
 *
 * @param db outside of a transaction
 * @param mostMs the longest wait in milliseconds; 0 for one look
 * @returns false when earlier work still runs
 */
export async function olderWorkOver(db: SqlRunner, tenantId: string, mostMs: number): Promise<boolean> {
  const { rows } = await db.query<{ id: string; asked_by: string }>(
    `select $1::text as asked_by, l.virtualxid as id from pg_locks l join pg_stat_activity a on a.pid = l.pid
     where l.locktype = 'virtualxid' and l.granted and a.datname = current_database() and a.pid <> pg_backend_pid()
       and a.usesysid is not null`,
    [tenantId],
  );
  const ids = rows.map(({ id }) => id);
  const deadline = Date.now() + mostMs;
  for (;;) {
    const { rowCount } = await db.query(
      `select $1::text from pg_locks where locktype = 'virtualxid' and granted and virtualxid = any($2) limit 1`,
      [tenantId, ids],
    );
    if (rowCount === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(EVERY_MS);
  }
}

export interface Policies {
  directory: SeatPolicy;
  api: SeatPolicy;
  sign_in: SeatPolicy;
}

interface LimitChange {
  limit?: number | null | undefined;
  policy?: Partial<Policies> | undefined;
}

const BATCH = 200;
/** Longer than any statement of a create. */
const ON_THEIR_WAY_MS = 10_000;

/** Sets seat limits and policies; each change is a line of the ledger and of the audit log. */
@Injectable()
export class SeatLimitsService {
  constructor(
    private readonly db: Database,
    private readonly repository: SeatsRepository,
    private readonly seats: SeatsService,
    private readonly audit: AuditService,
    private readonly logger: Logger,
    private readonly events: DomainEvents,
  ) {
    events.on(TenantCreated, ({ tx, tenantId }) => repository.open(tx, tenantId));
  }

  /** Sets limit and policies. No user loses a seat; seats over the limit count as overage. */
  async change(caller: Caller, change: LimitChange): Promise<void> {
    if (typeof change.limit === 'number') await this.beginToCount(caller.tenantId);
    await this.db.transaction(caller.tenantId, async (tx) => {
      const { limit: before } = await this.repository.lockAndCount(tx, caller.tenantId);
      const limit = change.limit === undefined ? before.limit : change.limit;
      const policy = { ...policiesOf(before), ...dropUndefined(change.policy ?? {}) };
      const policies = { scim: policy.directory, api: policy.api, 'sign-in': policy.sign_in };
      const mode = nextSeatMode(before.mode, { kind: 'limit_changed', limit });
      await this.repository.store(tx, caller.tenantId, { limit, mode, policies });
      const kind = limit === before.limit ? 'policy' : 'limit';
      await this.note(tx, caller, kind, { limit, policy });
      await this.returnToOpen(tx, caller.tenantId, { limit, mode });
      await this.audit.record(tx, {
        tenantId: caller.tenantId,
        actor: caller.actor,
        action: 'seat_limit.changed',
        targetType: 'seat_limit',
        targetId: caller.tenantId,
        before: { limit: before.limit, policy: policiesOf(before) },
        after: { limit, policy },
        requestId: caller.requestId,
      });
    });
    this.seats.forget(caller.tenantId);
    await this.events.publish(new RoomMade(caller.tenantId));
  }

  /**
   * Makes creates count, and waits for those that began before: without a limit creates take no lock, and none of them
   * may take a seat once the limit is set.
   */
  private async beginToCount(tenantId: string): Promise<void> {
    if (!(await this.repository.beginToCount(tenantId))) return;
    this.seats.forget(tenantId);
    if (await olderWorkOver(this.db, tenantId, ON_THEIR_WAY_MS)) return;
    this.logger.warn('a limit was set while old transactions still run', { tenant_id: tenantId });
  }

  /**
   * Returns tenants to the mode without a lock when their limit is far again. One claim near the limit, or one linked
   * user, makes a tenant count.
   */
  async returnAllToOpen(): Promise<void> {
    const inFlight = await this.repository.inFlight();
    for (let after = ''; ;) {
      const tenants = await this.repository.counting(after, BATCH);
      for (const tenantId of tenants) {
        const { limit } = await this.repository.limitOf(tenantId);
        const free = (limit ?? 0) - (await this.repository.used(tenantId));
        // First without the lock: a tenant that stays near its limit is not disturbed.
        if (nextSeatMode('exact', { kind: 'measured', free, inFlight }) === 'exact') continue;
        await this.db.transaction(tenantId, async (tx) => {
          const { limit: locked } = await this.repository.lockAndCount(tx, tenantId);
          await this.returnToOpen(tx, tenantId, locked);
        });
        this.seats.forget(tenantId);
      }
      if (tenants.length < BATCH) return;
      after = tenants.at(-1)!;
    }
  }

  /** Runs under the tenant's lock. */
  private async returnToOpen(
    tx: SqlRunner,
    tenantId: string,
    { limit, mode }: Pick<SeatLimit, 'limit' | 'mode'>,
  ): Promise<void> {
    if (limit === null) return;
    const free = limit - (await this.repository.used(tenantId, tx));
    const inFlight = await this.repository.inFlight(tx);
    await this.repository.setMode(tx, tenantId, mode, { kind: 'measured', free, inFlight });
  }

  private async note(tx: SqlRunner, caller: Caller, kind: string, details: object): Promise<void> {
    await tx.query(
      `insert into seat_entries (tenant_id, kind, delta, details, reason, source) values ($1, $2, 0, $3::jsonb, $4, $5::jsonb)`,
      [caller.tenantId, kind, JSON.stringify(details), 'set', JSON.stringify(sourceOf(caller))],
    );
  }
}

/** Returns the policies in the API's words. */
export function policiesOf(limit: SeatLimit): Policies {
  return { directory: limit.policies.scim, api: limit.policies.api, sign_in: limit.policies['sign-in'] };
}

function dropUndefined(policies: Partial<Policies>): Partial<Policies> {
  return Object.fromEntries(Object.entries(policies).filter(([, value]) => value !== undefined));
}
