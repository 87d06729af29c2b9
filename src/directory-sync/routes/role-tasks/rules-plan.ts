import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Database } from '../../../base/database/database.js';
import { NotFound, Conflict } from '../../../base/errors/domain-error.js';
import { Semaphore } from '../../../base/loop.js';
import { TaskHandlers, TaskFailed, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository, type TaskRow } from '../../../engine/work/tasks.repository.js';
import { TASKS_CAP } from '../../../engine/work/tasks.service.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { GroupRule } from '../../directories/directories.dto.js';
import type { ChangedDirectory } from '../../directories/directory-people.js';
import type { Directory } from '../../directories/directory.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { GuardService } from '../../users/guard/guard.service.js';
import type { RuleRole } from '../../users/role.rules.js';
import { draftOf, type UserDocument } from '../../users/user.mapping.js';
import { currentOf, USER_COLUMNS, type UserRow } from '../../users/user.row.js';
import { UsersRepository } from '../../users/users.repository.js';
import { decide, writtenIn } from '../../users/write/state.rules.js';
import { NO_CONFLICTS, type Conflicts, type WriteCase } from '../../users/write/write-case.js';
import { EffectStepsBody } from '../effect-steps.dto.js';
import { losesConsole, stepsOf } from '../effect-steps.rules.js';
import { PreviewPlans } from '../preview/preview-plans.js';
import {
  effectOfRules,
  NO_TOTALS,
  withUsers,
  type RulesPlanned,
  type RulesTotals,
  noteOf,
} from './rules-plan.rules.js';

class RulesPlanUser {
  @ApiProperty()
  user_id!: string;
  @ApiProperty()
  user_name!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The role in force; null: no role.' })
  from!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The role that the rules would give; null: no role.' })
  to!: string | null;
  @ApiProperty({
    enum: ['gains', 'loses', 'none'],
    description: '`gains`: the user would need a seat and holds none.',
  })
  seat!: 'gains' | 'loses' | 'none';
  @ApiProperty({ type: EffectStepsBody, description: 'The user now and with these rules.' })
  steps!: EffectStepsBody;
}

export class RulesPlanBody {
  @ApiProperty({ description: 'Users whose role or seat would change.' })
  total!: number;
  @ApiProperty({
    type: [RulesPlanUser],
    description:
      'The first 200 of them: administrators who lose the console, then the others, each in the order of their ids.',
  })
  data!: RulesPlanUser[];
  @ApiProperty({ description: 'Users who would need a seat and hold none.' })
  take_seat!: number;
  @ApiProperty({ description: 'Users who would give their seat back.' })
  free_seat!: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Seats that would be free for them, with those that are given back; null: there is no limit.',
  })
  seats_free!: number | null;
  @ApiProperty({ description: 'Departures that the guard of the directory would hold.' })
  held_by_guard!: number;
  @ApiProperty({
    description:
      'Administrators who would lose the console, or the right to write there. The write of the rules demands this number as `administrators`.',
  })
  administrators!: number;
}

const TASK_FROM = 1_000;
/** Users in memory at one time: their rows are decoded in one turn of the event loop. */
const BATCH = 200;
const SLICE_MS = 10;
const SHOWN = 200;

interface PlannedBatch {
  users: RulesPlanned[];
  seen: number;
  /** The user after which the next batch begins; null for the last batch. */
  next: string | null;
}

function conflictsOf(row: UserRow): Conflicts {
  return {
    ...NO_CONFLICTS,
    emailTaken: row.held === 'email_taken',
    externalIdTaken: row.held === 'external_id_taken',
    formerTaken: row.status === 'inactive',
  };
}

interface Payload {
  directory_id: string;
  rules: readonly GroupRule[];
  after?: string;
  totals?: RulesTotals;
}

const LISTED = 1_000;

/**
 * Computes the effect of changed group rules on the users of a directory, without changing them. Many users are a task.
 */
@Injectable()
export class RulesPlan {
  /** By tenant: plans that run or wait. */
  private readonly lines = new Map<string, { turns: Semaphore; waiting: number }>();

  constructor(
    private readonly db: Database,
    private readonly tenants: TenantStore,
    private readonly directories: DirectoryStore,
    private readonly users: UsersRepository,
    private readonly plans: PreviewPlans,
    private readonly guard: GuardService,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<Payload>(['rules.plan'], { run: (task) => this.step(task) });
  }

  async large(tenantId: string, directoryId: string): Promise<number | null> {
    const { rows } = await this.db.query<{ n: number }>(
      `select count(*)::int as n from users where tenant_id = $1 and directory_id = $2 and gone_at is null`,
      [tenantId, directoryId],
    );
    return rows[0]!.n >= TASK_FROM ? rows[0]!.n : null;
  }

  async of(tenantId: string, directoryId: string, rules: readonly GroupRule[]): Promise<RulesPlanBody> {
    const line = this.lines.get(tenantId) ?? { turns: new Semaphore(1), waiting: 0 };
    this.lines.set(tenantId, line);
    line.waiting++;
    try {
      return await line.turns.run(() => this.made(tenantId, directoryId, rules));
    } finally {
      if (--line.waiting === 0) this.lines.delete(tenantId);
    }
  }

  private async made(tenantId: string, directoryId: string, rules: readonly GroupRule[]): Promise<RulesPlanBody> {
    const directory = await this.directories.get(tenantId, directoryId);
    let totals = NO_TOTALS;
    const losers: RulesPlanned[] = [];
    const others: RulesPlanned[] = [];
    for (let after: string | null = ''; after !== null;) {
      const { users, next } = await this.batch(directory, rules, after);
      totals = withUsers(totals, users);
      for (const user of users) (losesConsole(user.steps) ? losers : others).push(user);
      after = next;
    }
    const { leavers: _, administrators = 0, ...counts } = totals;
    const data = [...losers, ...others].slice(0, SHOWN).map(({ leaves: __, ...user }) => user);
    return { ...counts, administrators, data, ...(await this.consequences(directory, totals)) };
  }

  /** `after` is '' for the first batch. */
  async batch(directory: Directory, rules: readonly GroupRule[], after: string): Promise<PlannedBatch> {
    const tenant = await this.tenants.get(directory.tenantId);
    const rows = await this.rows(directory.tenantId, directory.id, after);
    const users = await this.effects(tenant, directory, { rules }, rows);
    return { users, seen: rows.length, next: rows.length < BATCH ? null : rows.at(-1)!.id };
  }

  /** Counts the administrators who would lose the console. Only users who administer are computed. */
  async administratorsLost(tenantId: string, directoryId: string, changed: ChangedDirectory): Promise<number> {
    const directory = await this.directories.fresh(tenantId, directoryId);
    if (directory === null) throw new NotFound('directory');
    const tenant = await this.tenants.get(tenantId);
    const administering = [...tenant.roles].filter(([, { console }]) => console !== 'none').map(([name]) => name);
    let lost = 0;
    for (let after: string | null = ''; after !== null;) {
      const found: { rows: UserRow[] } = await this.db.query<UserRow>(
        `select ${USER_COLUMNS} from users u
         where u.tenant_id = $1 and u.directory_id = $2 and u.id > $3 and u.gone_at is null and u.status = 'active'
           and (u.role = any($4::text[]) or u.id = $5) order by u.id limit ${BATCH}`,
        [tenantId, directoryId, after, administering, tenant.ownerUserId],
      );
      const { rows } = found;
      const users = await this.effects(tenant, directory, changed, rows);
      lost += users.filter(({ steps }) => losesConsole(steps)).length;
      after = rows.length < BATCH ? null : rows.at(-1)!.id;
    }
    return lost;
  }

  async consequences(
    { tenantId, id, guard }: Directory,
    totals: RulesTotals,
  ): Promise<Pick<RulesPlanBody, 'seats_free' | 'held_by_guard'>> {
    const seats = await this.plans.seatsOf(tenantId, { takeSeat: totals.take_seat, freeSeat: totals.free_seat });
    const room = await this.guard.room(tenantId, id, guard);
    return { seats_free: seats.free, held_by_guard: room === null ? 0 : Math.max(0, totals.leavers - room) };
  }

  private async effects(
    tenant: TenantView,
    directory: Directory,
    changed: ChangedDirectory,
    rows: UserRow[],
  ): Promise<RulesPlanned[]> {
    const { tenantId, id } = directory;
    const ids = rows.map((row) => row.id);
    const present = await this.users.rolesOfUsers(tenantId, id, ids);
    const then = changed.rules === undefined ? present : await this.rolesBy(tenantId, changed.rules, ids);
    const ctx = { tenantId, channel: 'scim' as const, receivedAt: new Date() };
    const changedDirectory: Directory = { ...directory, ...changed.settings };
    const users: RulesPlanned[] = [];
    let began = performance.now();
    for (const row of rows) {
      if (performance.now() - began > SLICE_MS) {
        await turn();
        began = performance.now();
      }
      const doc = JSON.parse(row.doc) as UserDocument;
      const under = (of: Directory, fromRules: RuleRole[] = []) => {
        const draft = draftOf(doc, of.attributeMap);
        const about: WriteCase = {
          ctx: { ...ctx, directory: of },
          tenant,
          row,
          draft,
          roleSet: row.role_set,
          fromRules,
          released: row.released,
        };
        return decide(about, writtenIn(about), conflictsOf(row));
      };
      const current = currentOf(row);
      const decision = under(changedDirectory, then.get(row.id));
      const effect = effectOfRules(current, under(directory, present.get(row.id)), decision);
      if (effect === null) continue;
      const steps = stepsOf(tenant, row.id, current, decision);
      users.push({ user_id: row.id, user_name: row.user_name, ...effect, steps });
    }
    return users;
  }

  /** Returns the roles that rules would give to users, in the order of the rules. */
  private async rolesBy(
    tenantId: string,
    rules: readonly GroupRule[],
    userIds: string[],
  ): Promise<Map<string, RuleRole[]>> {
    // Memberships are read by user: a rule can name a group of 100 000 members.
    const { rows } = await this.db.query<{ member_id: string; role: string; group_id: string }>(
      `select m.member_id, r.role, m.group_id from unnest($4::text[]) u (id)
         cross join lateral (
           select m.member_id, m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id offset 0) m
         join unnest($2::text[], $3::text[]) with ordinality r (group_id, role, position) on r.group_id = m.group_id
       order by r.position`,
      [tenantId, rules.map((rule) => rule.group_id), rules.map((rule) => rule.role), userIds],
    );
    const found = new Map<string, RuleRole[]>();
    for (const { member_id: user, role, group_id: id } of rows) {
      found.set(user, [...(found.get(user) ?? []), { role, group: { id, name: id } }]);
    }
    return found;
  }

  private async rows(tenantId: string, directoryId: string, after: string): Promise<UserRow[]> {
    const { rows } = await this.db.query<UserRow>(
      `select ${USER_COLUMNS} from users u
       where u.tenant_id = $1 and u.directory_id = $2 and u.id > $3 and u.gone_at is null
       order by u.id limit ${BATCH}`,
      [tenantId, directoryId, after],
    );
    return rows;
  }

  /**
   * @throws {TooMany} `too_many_tasks`
   * @throws {Conflict} `plan_under_way` while another plan of the tenant waits or runs
   */
  async begin(
    caller: Repeatable & { actor: Actor },
    directoryId: string,
    rules: readonly GroupRule[],
    total: number,
  ): Promise<TaskRow> {
    const { tenantId, actor: createdBy } = caller;
    const payload: Payload = { directory_id: directoryId, rules };
    const task = await once(this.db, caller, async (tx) => {
      await demandRoom(tx, TASKS_CAP, tenantId);
      const other = await this.tasks.open(tx, tenantId, 'rules.plan');
      if (other !== undefined) {
        throw new Conflict(
          'plan_under_way',
          `The task ${other.id} plans rules of this tenant. Wait for it, or cancel it.`,
        );
      }
      return this.tasks.add(tx, tenantId, { kind: 'rules.plan', payload, total, createdBy, directoryId });
    });
    this.tasks.wake();
    return task;
  }

  private async step({ tenantId, id, payload }: Task<Payload>): Promise<Batch> {
    const directory = await this.directories.fresh(tenantId, payload.directory_id);
    if (directory === null) throw new TaskFailed('The directory was deleted meanwhile.');
    const { after = '', totals: before = NO_TOTALS } = payload;
    const { users, seen, next } = await this.batch(directory, payload.rules, after);
    // Administrators who lose the console are listed even after the first 1 000 users.
    const room = Math.max(0, LISTED - before.total);
    for (const user of users.filter(({ steps }, place) => place < room || losesConsole(steps))) {
      await this.tasks.addLeftOut(tenantId, id, noteOf(user));
    }
    const totals = withUsers(before, users);
    const { total: changed, take_seat, free_seat, administrators = 0 } = totals;
    const result = { changed, take_seat, free_seat, administrators };
    if (next !== null) return { done: seen, next: { ...payload, after: next, totals }, result };
    const { seats_free, held_by_guard } = await this.consequences(directory, totals);
    return {
      done: seen,
      next: null,
      result: { ...result, held_by_guard, ...(seats_free === null ? {} : { seats_free }) },
    };
  }
}
