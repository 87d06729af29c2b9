import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import { FreshCache } from '../../../base/fresh-cache.js';
import { pageOf, type Page, type PageRequest } from '../../../base/http/page.js';
import { Logger } from '../../../base/log/logger.js';
import { EventsRepository } from '../../../engine/events/events.service.js';
import type { Person, ChangeSource } from '../../../tenancy/identity/person.js';
import type { GuardFigures, Guard } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import type { DepartureBody, GuardBody, GuardWindowBody } from './guard.dto.js';
import { GuardRepository, type GuardState } from './guard.repository.js';
import { type DepartureKind, isFar, isReached, limitsOf, type PerWindow, DAY_MINUTES } from './guard.rules.js';

export type GuardedWrite =
  /** The user leaves, and counts. `before` is the former state, for an undo. */
  | { kind: 'departure'; how: DepartureKind; directoryId: string; figures: GuardFigures; before: FormerUser }
  /** The user gets another identity or role, and counts for the second figure. `isBack`: the user also returns. */
  | { kind: 'change'; directoryId: string; figures: GuardFigures; isBack: boolean }
  /** The user is back, and no longer counts. */
  | { kind: 'return'; directoryId: string };

export interface FormerUser {
  person: Person;
  /** Only of a user whose row is deleted. */
  doc?: string;
  createdAt?: Date;
  /** The changed group whose membership the user has already lost, and leaves for. */
  leftGroup?: string | undefined;
}

export type Leaving = Extract<GuardedWrite, { kind: 'departure' }> & { userId: string };

const TTL = 1000;

const ALL: PerWindow = { window: 2 ** 31 - 1, day: 2 ** 31 - 1 };

function baseOf({ window_base, day_base }: GuardState): PerWindow {
  return { window: window_base, day: day_base };
}

function keyOf(tenantId: string, directoryId: string): string {
  return `${tenantId} ${directoryId}`;
}

interface DepartureRow {
  user_id: string;
  how: DepartureKind;
  at: string;
  person: Person;
  source: ChangeSource;
}

const MOST: PerWindow = { window: 1_000_000, day: 1_000_000 };

/**
 * Counts departures as part of the write that makes them, and holds those above the limit.
 *
 * Reads the counts and holds of a directory's guard.
 */
@Injectable()
export class GuardService {
  // A stale state is harmless: the statement checks it again.
  private readonly states: FreshCache<GuardState | undefined>;

  constructor(
    private readonly repository: GuardRepository,
    private readonly events: EventsRepository,
    private readonly logger: Logger,
    clock: Clock,
    private readonly db: Database,
    private readonly directories: DirectoryStore,
  ) {
    this.states = new FreshCache(clock, TTL);
  }

  /**
   * Returns a function that adds the guard's condition, and returns the part whose row the subject must demand.
   *
   * @returns null when the departure has to count under the lock
   */
  async openWay(tenantId: string, leaving: Leaving): Promise<((statement: WriteStatement) => Part) | null> {
    const { directoryId, figures } = leaving;
    const minutes = figures.within_minutes;
    const state = await this.states.get(keyOf(tenantId, directoryId), () =>
      this.repository.state(tenantId, directoryId, minutes),
    );
    if (state?.mode !== 'open' || state.stale) return null;
    const limits = limitsOf(figures, baseOf(state));
    return (statement) => this.repository.condition(statement, tenantId, leaving, { state, limits, minutes });
  }

  forget(tenantId: string, directoryId: string): void {
    this.states.drop(keyOf(tenantId, directoryId));
  }

  /**
   * Returns whether a user may leave, under the lock of the guard to the end of the transaction. The first held user of
   * a window is recorded as an event.
   */
  async admits(tx: SqlRunner, tenantId: string, { directoryId, figures }: Leaving): Promise<boolean> {
    const minutes = figures.within_minutes;
    let state = await this.repository.lock(tx, tenantId, directoryId, minutes);
    if (state.stale) state = await this.measured(tx, tenantId, directoryId, figures);
    const limits = limitsOf(figures, baseOf(state));
    const counted = await this.repository.counted(tx, tenantId, directoryId, minutes, limits);
    const mode = isFar(counted, limits, counted.inFlight) ? 'open' : 'exact';
    if (mode !== state.mode) await this.repository.setMode(tx, tenantId, directoryId, mode);
    if (!isReached(counted, limits)) return true;
    await this.tellHeld(tx, tenantId, directoryId, { minutes, state, counted, limits });
    return false;
  }

  /**
   * Returns whether a user may get another identity or role, under the lock of the guard. A user counts once within the
   * window.
   */
  async admitsChange(
    tx: SqlRunner,
    tenantId: string,
    userId: string,
    { directoryId, figures }: Extract<GuardedWrite, { kind: 'change' }>,
  ): Promise<boolean> {
    const minutes = figures.within_minutes;
    let state = await this.repository.lock(tx, tenantId, directoryId, minutes);
    if (state.stale) state = await this.measured(tx, tenantId, directoryId, figures);
    const limits = limitsOf(figures, baseOf(state));
    const counted = await this.repository.changed(tx, tenantId, { directoryId, exceptId: userId }, minutes);
    if (!isReached(counted, limits)) return true;
    await this.tellHeld(tx, tenantId, directoryId, { minutes, state, counted, limits });
    return false;
  }

  private async tellHeld(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    { minutes, state, counted, limits }: { minutes: number; state: GuardState; counted: PerWindow; limits: PerWindow },
  ): Promise<void> {
    if (await this.repository.isFirstHeld(tx, tenantId, directoryId, minutes)) {
      const limit = counted.window >= limits.window ? limits.window : limits.day;
      const from = counted.window >= limits.window ? state.window_from : state.day_from;
      const data = { directory_id: directoryId, limit, window_started_at: new Date(from!).toISOString() };
      this.logger.error('provisioning.held', { tenant_id: tenantId, ...data });
      await this.events.record(tenantId, [{ event: 'provisioning.held', data }], tx);
    }
  }

  addTo(statement: WriteStatement, tenantId: string, guarded: GuardedWrite, source: ChangeSource): void {
    const { directoryId } = guarded;
    if (guarded.kind === 'change') this.repository.addChange(statement, tenantId, directoryId);
    if (guarded.kind === 'change' && !guarded.isBack) return;
    if (guarded.kind !== 'departure') return this.repository.forgive(statement, tenantId, directoryId);
    const { how, before } = guarded;
    const { person, doc = null, createdAt = null, leftGroup = null } = before;
    const departure = { how, directoryId, person: JSON.stringify(person), doc, createdAt, leftGroup };
    this.repository.add(statement, tenantId, departure, source);
  }

  private async measured(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    figures: GuardFigures,
  ): Promise<GuardState> {
    const minutes = figures.within_minutes;
    const inForce = await this.repository.inForce(tx, tenantId, directoryId);
    const left = await this.repository.counted(tx, tenantId, directoryId, minutes, ALL);
    // Users who have left since the window began were in force then.
    const base: PerWindow = { window: inForce + left.window, day: inForce + left.day };
    await this.repository.measure(tx, tenantId, directoryId, minutes, base);
    return this.repository.lock(tx, tenantId, directoryId, minutes);
  }

  /** @throws {NotFound} when the tenant has no such directory */
  async reportOf(tenantId: string, directoryId: string, page: PageRequest): Promise<GuardBody> {
    const { guard } = await this.directories.get(tenantId, directoryId);
    const [windows, held, departures] = await Promise.all([
      guard === 'off' ? { window: null, day: null } : this.windows(tenantId, directoryId, guard),
      this.held(tenantId, directoryId),
      this.departures(tenantId, directoryId, page),
    ]);
    return { directory_id: directoryId, guard, ...windows, held, departures };
  }

  /** Returns how many further users a guard admits now; null when it is off. */
  async room(tenantId: string, directoryId: string, guard: Guard): Promise<number | null> {
    if (guard === 'off') return null;
    const { window, day } = await this.windows(tenantId, directoryId, guard);
    return Math.max(0, Math.min(window.limit - window.counted, day.limit - day.counted));
  }

  private async windows(
    tenantId: string,
    directoryId: string,
    figures: GuardFigures,
  ): Promise<{ window: GuardWindowBody; day: GuardWindowBody }> {
    const minutes = figures.within_minutes;
    const { db, repository } = this;
    const state = await repository.state(tenantId, directoryId, minutes);
    const counted = await repository.counted(db, tenantId, directoryId, minutes, MOST);
    const inForce = state === undefined || state.stale ? await repository.inForce(db, tenantId, directoryId) : 0;
    const isOver = (from: string | null, length: number): boolean =>
      from === null || Date.parse(from) < Date.now() - length * 60_000;
    const windowOver = isOver(state?.window_from ?? null, minutes);
    const dayOver = isOver(state?.day_from ?? null, DAY_MINUTES);
    const base = {
      window: windowOver ? inForce + counted.window : state!.window_base,
      day: dayOver ? inForce + counted.day : state!.day_base,
    };
    const limits = limitsOf(figures, base);
    const body = (of: keyof PerWindow, length: number, from: string | null): GuardWindowBody => ({
      minutes: length,
      started_at: from === null ? null : new Date(from).toISOString(),
      base: base[of],
      limit: limits[of],
      counted: counted[of],
    });
    return {
      window: body('window', minutes, windowOver ? null : state!.window_from),
      day: body('day', DAY_MINUTES, dayOver ? null : state!.day_from),
    };
  }

  private async held(tenantId: string, directoryId: string): Promise<number> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from users where tenant_id = $1 and held is not null and held = 'guard' and directory_id = $2`,
      [tenantId, directoryId],
    );
    return rows[0]!.n;
  }

  private async departures(tenantId: string, directoryId: string, page: PageRequest): Promise<Page<DepartureBody>> {
    const [at, id] = page.after?.split('|') ?? [null, null];
    const { rows } = await this.db.query<DepartureRow>(
      `select user_id, how, went_at::text as at, person, source from guard_departures
       where tenant_id = $1 and directory_id = $2 and went_at > now() - interval '1 day'
         and ($3::timestamptz is null or (went_at, user_id) < ($3::timestamptz, $4::text))
       order by went_at desc, user_id desc limit $5`,
      [tenantId, directoryId, at, id, page.limit + 1],
    );
    return pageOf(
      page,
      rows,
      (row) => `${row.at}|${row.user_id}`,
      ({ user_id, how, at: went, person, source }) => ({
        user_id,
        email: person.email,
        how,
        at: new Date(went).toISOString(),
        source,
      }),
    );
  }
}
