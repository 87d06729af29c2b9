import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { pageOf, type Page, type PageRequest } from '../../../base/http/page.js';
import type { Person, ChangeSource } from '../../../tenancy/identity/person.js';
import type { Guard, GuardFigures } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { GuardRepository } from '../guard/guard.repository.js';
import { DAY_MINUTES, limitsOf, type DepartureKind, type PerWindow } from '../guard/guard.rules.js';
import type { DepartureBody, GuardBody, GuardWindowBody } from './held.dto.js';

interface DepartureRow {
  user_id: string;
  how: DepartureKind;
  at: string;
  person: Person;
  source: ChangeSource;
}

const MOST: PerWindow = { window: 1_000_000, day: 1_000_000 };

/** Reads the counts and holds of a directory's guard. */
@Injectable()
export class GuardReport {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoryStore,
    private readonly repository: GuardRepository,
  ) {}

  /** @throws {NotFound} when the tenant has no such directory */
  async of(tenantId: string, directoryId: string, page: PageRequest): Promise<GuardBody> {
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
