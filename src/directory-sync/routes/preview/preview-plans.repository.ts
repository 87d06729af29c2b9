import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import { losesConsole, type EffectSteps } from '../effect-steps.rules.js';
import type { PlannedUser } from './preview-plan.js';
import { type PlanTotals, storedKinds, type ChangeEffect, type OwnerKind, type PreviewKind } from './preview.rules.js';

export interface NewPlan {
  /** The begin of the work by the clock of the database: the plan may lack later writes. */
  madeAt: string;
  /** The settings of the directory that the plan depends on, as JSON text. */
  settings: string;
}

interface StoredPlan {
  made_at: Date;
  totals: PlanTotals;
  stale: boolean;
}

export interface PlannedRow {
  user_id: string;
  user_name: string;
  owner_kind: OwnerKind | null;
  change_kind: ChangeEffect | null;
  fields: string[];
  take_seat: boolean;
  held: HeldReason | null;
  /** Null in a plan of an older version of the service. */
  steps: EffectSteps | null;
  made_at: Date;
}

export interface PlannedFilter {
  kind: PreviewKind | undefined;
  administrators: boolean;
}

/** Inputs of a plan beside its users; `$1` is the tenant, `$2` the directory. The population moves with deletions. */
const SETTINGS = `(select jsonb_build_array(d.default_role, d.attribute_map, d.takes_over, d.may_grant_console,
    (select jsonb_agg(jsonb_build_array(r.group_id, r.role) order by r.position) from group_rules r
     where r.tenant_id = $1 and r.directory_id = $2),
    (select jsonb_agg(jsonb_build_array(c.name, c.console) order by c.name) from roles c where c.tenant_id = $1),
    (select coalesce(sum(p.n), 0) from population p where p.tenant_id = $1 and p.owner = $2)
    + (select coalesce(sum(s.step), 0) from population_steps s where s.tenant_id = $1 and s.owner = $2))::text
  from directories d where d.tenant_id = $1 and d.id = $2)`;

/** Whether a user, a stored write or a group with a rule has changed. A write gets its time before its commit. */
const CHANGED = (since: string): string => `(
  exists (select 1 from preview_writes w where w.tenant_id = $1 and w.directory_id = $2
    and w.updated_at > ${since} - interval '1 second')
  or exists (select 1 from group_rules r join groups g on g.tenant_id = $1 and g.id = r.group_id
    where r.tenant_id = $1 and r.directory_id = $2 and g.updated_at > ${since} - interval '1 second')
  or (select u.id from users u join directories d on d.tenant_id = $1 and d.id = $2
    where u.tenant_id = $1 and u.updated_at > ${since} - interval '1 second'
      and (u.directory_id is null or u.directory_id in (d.id, d.takes_over))
    order by u.updated_at, u.id limit 1) is not null)`;

/** Stores the plans of directories in preview. The time of a plan identifies it; a newer plan replaces it. */
@Injectable()
export class PreviewPlansRepository {
  constructor(private readonly db: Database) {}

  async find(tenantId: string, directoryId: string): Promise<StoredPlan | undefined> {
    const { rows } = await this.db.query<StoredPlan>(
      `select p.made_at, p.totals, p.settings is distinct from ${SETTINGS} or ${CHANGED('p.made_at')} as stale
       from preview_plans p where p.tenant_id = $1 and p.directory_id = $2`,
      [tenantId, directoryId],
    );
    return rows[0];
  }

  async begin(tenantId: string, directoryId: string): Promise<NewPlan> {
    const { rows } = await this.db.query<NewPlan>(
      `select clock_timestamp()::text as "madeAt", coalesce(${SETTINGS}, '') as settings`,
      [tenantId, directoryId],
    );
    return rows[0]!;
  }

  /** Adds users to an unfinished plan. A repeated batch replaces its rows. */
  async add(tenantId: string, directoryId: string, { madeAt }: NewPlan, users: readonly PlannedUser[]): Promise<void> {
    const rows = users.map(({ id, kinds, fields, takesSeat, held, steps }) => {
      const facts = { fields, take_seat: takesSeat, held, steps, loses_console: losesConsole(steps) };
      return { user_id: id, ...storedKinds(kinds), ...facts };
    });
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.lockInPreview(tx, tenantId, directoryId))) return;
      await tx.query(
        `insert into preview_plan_users
           (tenant_id, directory_id, made_at, user_id, owner_kind, change_kind, fields, take_seat, held, steps, loses_console)
         select $1, $2, $3::timestamptz, r.* from jsonb_to_recordset($4::jsonb)
           r(user_id text, owner_kind text, change_kind text, fields text[], take_seat boolean, held text, steps jsonb, loses_console boolean)
         on conflict (tenant_id, directory_id, made_at, user_id) do update set owner_kind = excluded.owner_kind,
           change_kind = excluded.change_kind, fields = excluded.fields, take_seat = excluded.take_seat,
           held = excluded.held, steps = excluded.steps, loses_console = excluded.loses_console`,
        [tenantId, directoryId, madeAt, JSON.stringify(rows)],
      );
    });
  }

  /** Makes a complete plan the current one unless a newer one exists, and deletes the rows of older plans. */
  async publish(
    tenantId: string,
    directoryId: string,
    { madeAt, settings }: NewPlan,
    totals: PlanTotals,
  ): Promise<void> {
    await this.db.transaction(tenantId, async (tx) => {
      if (!(await this.lockInPreview(tx, tenantId, directoryId))) return this.dropAll(tx, tenantId, directoryId);
      await tx.query(
        `insert into preview_plans as p (tenant_id, directory_id, made_at, settings, totals)
         values ($1, $2, $3::timestamptz, $4, $5::jsonb)
         on conflict (tenant_id, directory_id) do update
           set made_at = excluded.made_at, settings = excluded.settings, totals = excluded.totals
           where p.made_at < excluded.made_at`,
        [tenantId, directoryId, madeAt, settings, JSON.stringify(totals)],
      );
      await tx.query(
        `delete from preview_plan_users where tenant_id = $1 and directory_id = $2
           and made_at < (select made_at from preview_plans where tenant_id = $1 and directory_id = $2)`,
        [tenantId, directoryId],
      );
    });
  }

  async users(
    tenantId: string,
    directoryId: string,
    { kind, administrators }: PlannedFilter,
    { after, limit }: { after: string | null; limit: number },
  ): Promise<PlannedRow[]> {
    // Each kind is in one of two columns, so that its index finds the users.
    const { owner_kind: owner, change_kind: change } = storedKinds(kind === undefined ? [] : [kind]);
    const ofKind = owner !== null ? 'and r.owner_kind = $5' : change !== null ? 'and r.change_kind = $5' : '';
    const { rows } = await this.db.query<PlannedRow>(
      `select r.user_id, coalesce(o.doc, u.doc) ->> 'userName' as user_name, r.owner_kind, r.change_kind, r.fields,
         r.take_seat, r.held, r.steps, r.made_at
       from preview_plan_users r join users u on u.tenant_id = $1 and u.id = r.user_id
         left join preview_writes o on o.tenant_id = $1 and o.directory_id = $2 and o.user_id = r.user_id
       where r.tenant_id = $1 and r.directory_id = $2 and r.user_id > $3 ${ofKind} ${administrators ? 'and r.loses_console' : ''}
         and r.made_at = (select made_at from preview_plans where tenant_id = $1 and directory_id = $2)
       order by r.user_id limit $4`,
      [tenantId, directoryId, after ?? '', limit, ...(kind === undefined ? [] : [kind])],
    );
    return rows;
  }

  /** Deletes the plan of a directory, also an unfinished one. */
  async dropAll(db: SqlRunner, tenantId: string, directoryId: string): Promise<void> {
    await db.query(`delete from preview_plans where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await db.query(`delete from preview_plan_users where tenant_id = $1 and directory_id = $2`, [
      tenantId,
      directoryId,
    ]);
  }

  /** Locks a directory against a change of its state. Returns false when it is deleted or not in preview. */
  async lockInPreview(tx: SqlRunner, tenantId: string, directoryId: string): Promise<boolean> {
    const { rowCount } = await tx.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and state = 'preview' and deleted_at is null
       for no key update`,
      [tenantId, directoryId],
    );
    return rowCount === 1;
  }
}
