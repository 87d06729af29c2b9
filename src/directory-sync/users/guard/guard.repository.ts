import { Injectable } from '@nestjs/common';
import { type SqlRunner, Database } from '../../../base/database/database.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import type { ChangeSource } from '../../../tenancy/identity/person.js';
import { DAY_MINUTES, type DepartureKind, type PerWindow } from './guard.rules.js';

export interface GuardState {
  mode: 'open' | 'exact';
  /** When each window was measured, as text of the database; null before the first measurement. */
  window_from: string | null;
  day_from: string | null;
  window_base: number;
  day_base: number;
  stale: boolean;
}

export interface Departure {
  how: DepartureKind;
  directoryId: string;
  person: string;
  doc: string | null;
  createdAt: Date | null;
  leftGroup: string | null;
}

const STATE = (minutes: string): string => `mode, window_from::text, day_from::text, window_base, day_base,
  window_from is null or window_from < now() - make_interval(mins => ${minutes})
    or day_from is null or day_from < now() - interval '1 day' as stale`;

const COUNTED = (at: { tenant: string; directory: string; minutes: string; most: string }): string =>
  `(select count(*)::int from (select 1 from guard_departures where tenant_id = ${at.tenant}
     and directory_id = ${at.directory} and went_at > now() - make_interval(mins => ${at.minutes})
     order by went_at desc limit ${at.most}) d)`;

/**
 * The SQL of the guard. Its limits are exact, but far from them a departure takes no exclusive lock.
 *
 * In mode `open` it share-locks the state. It is admitted only if the limits are further away than all departures that
 * can be in flight at once (`max_connections`). In mode `exact` it locks the row, counts, and holds the lock to its
 * commit. Seat limits work in the same way.
 */
@Injectable()
export class GuardRepository {
  constructor(private readonly db: Database) {}

  async state(tenantId: string, directoryId: string, minutes: number): Promise<GuardState | undefined> {
    const { rows } = await this.db.query<GuardState>(
      `select ${STATE('$3')} from guard_states where tenant_id = $1 and directory_id = $2`,
      [tenantId, directoryId, minutes],
    );
    return rows[0];
  }

  async lock(tx: SqlRunner, tenantId: string, directoryId: string, minutes: number): Promise<GuardState> {
    const locked = () =>
      tx.query<GuardState>(
        `select ${STATE('$3')} from guard_states where tenant_id = $1 and directory_id = $2 for update`,
        [tenantId, directoryId, minutes],
      );
    const { rows } = await locked();
    if (rows[0] !== undefined) return rows[0];
    await tx.query(`insert into guard_states (tenant_id, directory_id) values ($1, $2) on conflict do nothing`, [
      tenantId,
      directoryId,
    ]);
    return (await locked()).rows[0]!;
  }

  /**
   * Counts the departures of each window, up to a number. `inFlight` is how many can be under way without the lock.
   */
  async counted(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    minutes: number,
    most: PerWindow,
  ): Promise<PerWindow & { inFlight: number }> {
    const at = { tenant: '$1', directory: '$2' };
    const { rows } = await db.query<PerWindow & { inFlight: number }>(
      `select ${COUNTED({ ...at, minutes: '$3', most: '$4' })} as window,
         ${COUNTED({ ...at, minutes: String(DAY_MINUTES), most: '$5' })} as day,
         current_setting('max_connections')::int as "inFlight"`,
      [tenantId, directoryId, minutes, most.window, most.day],
    );
    return rows[0]!;
  }

  /**
   * Counts the users of a directory who have been in force for the last seven days without a break. Users whom the
   * directory brought since do not raise its limit.
   */
  async inForce(db: SqlRunner, tenantId: string, directoryId: string): Promise<number> {
    const { rows } = await db.query<{ n: number }>(
      `select count(*)::int as n from users where tenant_id = $1 and directory_id = $2 and status = 'active'
         and (in_force_since is null or in_force_since < now() - interval '7 days')`,
      [tenantId, directoryId],
    );
    return rows[0]!.n;
  }

  async measure(tx: SqlRunner, tenantId: string, directoryId: string, minutes: number, base: PerWindow): Promise<void> {
    await tx.query(
      `update guard_states set
         window_base = case when window_from > now() - make_interval(mins => $3) then window_base else $4 end,
         window_from = case when window_from > now() - make_interval(mins => $3) then window_from else now() end,
         day_base = case when day_from > now() - interval '1 day' then day_base else $5 end,
         day_from = case when day_from > now() - interval '1 day' then day_from else now() end
       where tenant_id = $1 and directory_id = $2`,
      [tenantId, directoryId, minutes, base.window, base.day],
    );
  }

  async setMode(tx: SqlRunner, tenantId: string, directoryId: string, mode: GuardState['mode']): Promise<void> {
    await tx.query(`update guard_states set mode = $3 where tenant_id = $1 and directory_id = $2`, [
      tenantId,
      directoryId,
      mode,
    ]);
  }

  /** Returns whether this is the first departure that the window holds, and stores that it was recorded. */
  async isFirstHeld(tx: SqlRunner, tenantId: string, directoryId: string, minutes: number): Promise<boolean> {
    const { rowCount } = await tx.query(
      `update guard_states set told_at = now() where tenant_id = $1 and directory_id = $2
         and (told_at is null or told_at < now() - make_interval(mins => $3))`,
      [tenantId, directoryId, minutes],
    );
    return rowCount === 1;
  }

  /**
   * Adds the condition of a departure without an exclusive lock; the subject must demand a row of the part.
   *
   * @param userId the leaving user, whose row is locked before the state, as in the exact mode
   */
  condition(
    statement: WriteStatement,
    tenantId: string,
    { directoryId, userId }: { directoryId: string; userId: string },
    { state, limits, minutes }: { state: GuardState; limits: PerWindow; minutes: number },
  ): Part {
    const leaver = statement.given((p) => {
      const tenant = p.add(tenantId);
      return `select id from users where tenant_id = ${tenant} and id = ${p.add(userId)} for no key update`;
    });
    return statement.given((p) => {
      const [tenant, directory] = [p.add(tenantId), p.add(directoryId)];
      const isFar = (of: 'window' | 'day', length: number): string => {
        const [minutesOf, most] = [p.add(length, 'int'), p.add(limits[of], 'int')];
        return `${COUNTED({ tenant, directory, minutes: minutesOf, most })} <= ${most} - current_setting('max_connections')::int`;
      };
      return `select 1 from guard_states where tenant_id = ${tenant} and directory_id = ${directory} and mode = 'open'
        and window_from = ${p.add(state.window_from, 'timestamptz')} and day_from = ${p.add(state.day_from, 'timestamptz')}
        and exists (select 1 from ${leaver.name})
        and ${isFar('window', minutes)} and ${isFar('day', DAY_MINUTES)} for share`;
    });
  }

  add(statement: WriteStatement, tenantId: string, departure: Departure, source: ChangeSource): void {
    const { directoryId, how, person, doc, createdAt, leftGroup } = departure;
    statement.add((p) => {
      const tenant = p.add(tenantId);
      return `insert into guard_departures (tenant_id, directory_id, user_id, how, source, person, doc, user_created_at, groups)
        select ${tenant}, ${p.add(directoryId)}, s.id, ${p.add(how)}, ${p.add(JSON.stringify(source), 'jsonb')},
          ${p.add(person, 'jsonb')}, ${p.add(doc, 'jsonb')}, ${p.add(createdAt, 'timestamptz')},
          array_remove(array(select m.group_id from group_members m where m.tenant_id = ${tenant} and m.member_id = s.id)
            || ${p.add(leftGroup, 'text')}, null)
        from subject s
        on conflict (tenant_id, directory_id, user_id) do update set went_at = excluded.went_at, how = excluded.how,
          source = excluded.source, person = excluded.person, doc = excluded.doc,
          user_created_at = excluded.user_created_at, groups = excluded.groups`;
    });
  }

  /** Counts the other users of each window whose identity or role the directory has changed. */
  async changed(
    tx: SqlRunner,
    tenantId: string,
    { directoryId, exceptId }: { directoryId: string; exceptId: string },
    minutes: number,
  ): Promise<PerWindow> {
    const { rows } = await tx.query<PerWindow>(
      `select (count(*) filter (where changed_at > now() - make_interval(mins => $4)))::int as window,
         (count(*) filter (where changed_at > now() - interval '1 day'))::int as day
       from guard_changes where tenant_id = $1 and directory_id = $2 and user_id <> $3
         and changed_at > now() - greatest(interval '1 day', make_interval(mins => $4))`,
      [tenantId, directoryId, exceptId, minutes],
    );
    return rows[0]!;
  }

  addChange(statement: WriteStatement, tenantId: string, directoryId: string): void {
    statement.add(
      (p) => `insert into guard_changes (tenant_id, directory_id, user_id)
        select ${p.add(tenantId)}, ${p.add(directoryId)}, s.id from subject s
        on conflict (tenant_id, directory_id, user_id) do update set changed_at = clock_timestamp()`,
    );
  }

  forgive(statement: WriteStatement, tenantId: string, directoryId: string): void {
    statement.add(
      (p) => `delete from guard_departures d using subject where d.tenant_id = ${p.shared(tenantId)}
        and d.directory_id = ${p.add(directoryId)} and d.user_id = subject.id`,
      { each: true },
    );
  }
}
