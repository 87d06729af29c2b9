import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { RuleRole } from '../../../tenancy/identity/role.rules.js';
import { SeatsRepository } from '../../../seats/seats.repository.js';
import { TenantStore, type TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { GuardReport } from '../../users/held/guard-report.js';
import { writtenIn } from '../../users/write/requested-state.rules.js';
import { decide } from '../../users/write/effective-state.rules.js';
import { NO_CONFLICTS, type WriteCase } from '../../users/write/write-case.js';
import { draftOf, emailKey, type UserDocument } from '../../users/user.mapping.js';
import { currentOf, USER_COLUMNS, type UserRow } from '../../users/user.row.js';
import { UsersRepository } from '../../users/users.repository.js';
import type { WritingDirectory } from '../../users/write/write-context.js';
import type { SeatNeed } from '../../directories/directory-people.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import { effectOf, PREVIEW_KINDS, type PreviewEffect, type PreviewKind } from './preview.rules.js';

/** The effect of going live on one user. */
export interface PlannedUser extends PreviewEffect {
  id: string;
  userName: string;
}

/** The effects of going live on all users. */
export interface Plan {
  counts: Record<PreviewKind, number>;
  seats: SeatNeed;
  /** How many departures the guard of the directory would hold. */
  heldByGuard: number;
  /** Users that would change, in the order of their ids. */
  users: PlannedUser[];
}

/** A user that the directory in preview has written to, with the overlay if the user has another owner. */
interface Row extends UserRow {
  overlaid: boolean;
  overlay: string | null;
}

const BATCH = 500;

/** Computes the effects of going live now. Changes nothing. */
@Injectable()
export class PreviewPlan {
  constructor(
    private readonly db: Database,
    private readonly directories: DirectoryStore,
    private readonly tenants: TenantStore,
    private readonly seats: SeatsRepository,
    private readonly users: UsersRepository,
    private readonly guard: GuardReport,
  ) {}

  /**
   * Computes the plan.
   *
   * @throws {NotFound} when the tenant has no such directory
   */
  async of(tenantId: string, directoryId: string): Promise<Plan> {
    const directory = await this.directories.fresh(tenantId, directoryId);
    if (directory === null) throw new NotFound('directory');
    const tenant = await this.tenants.get(tenantId);
    const live: WritingDirectory = { ...directory, state: 'live', superseded: false };
    const users: PlannedUser[] = [];
    let after = '';
    for (;;) {
      const rows = await this.rows(tenantId, directoryId, after);
      users.push(...(await this.plan(tenantId, tenant, live, rows)));
      if (rows.length < BATCH) break;
      after = rows.at(-1)!.id;
    }
    const counts = Object.fromEntries(PREVIEW_KINDS.map((kind) => [kind, 0])) as Plan['counts'];
    for (const { kinds } of users) for (const kind of kinds) counts[kind]++;
    const room = await this.guard.room(tenantId, directoryId, directory.guard);
    const leaving = users.filter(({ leaves }) => leaves).length;
    const heldByGuard = room === null ? 0 : Math.max(0, leaving - room);
    return { counts, seats: await this.seatsFor(tenantId, users), heldByGuard, users };
  }

  private async plan(
    tenantId: string,
    tenant: TenantView,
    live: WritingDirectory,
    rows: Row[],
  ): Promise<PlannedUser[]> {
    const ids = rows.map(({ id }) => id);
    const roles = live.hasRules ? await this.users.rolesOfUsers(tenantId, live.id, ids) : new Map<string, RuleRole[]>();
    const drafts = rows.map((row) => draftOf(JSON.parse(row.overlay ?? row.doc) as UserDocument, live.attributeMap));
    const cases = rows.map((row, i): WriteCase => ({
      ctx: { tenantId, channel: 'scim', directory: live, receivedAt: new Date() },
      tenant,
      row,
      draft: drafts[i]!,
      roleSet: row.role_set,
      fromRules: roles.get(row.id) ?? [],
      released: row.released,
    }));
    const written = cases.map(writtenIn);
    const taken = await this.taken(tenantId, written.map(({ person }) => person), rows); // prettier-ignore
    return rows.flatMap((row, i) => {
      const removed = row.gone || (row.overlaid && row.overlay === null);
      const would = removed ? null : decide(cases[i]!, written[i]!, { ...NO_CONFLICTS, ...taken(i) });
      const owner = row.directory_id === live.id ? 'own' : row.directory_id === null ? 'unmanaged' : 'replaced';
      const effect = effectOf({ owner, removed, current: currentOf(row), would });
      return effect.kinds.length === 0 ? [] : [{ id: row.id, userName: drafts[i]!.userName, ...effect }];
    });
  }

  private async seatsFor(tenantId: string, users: PlannedUser[]): Promise<SeatNeed> {
    const needed = users.filter(({ takesSeat }) => takesSeat).length;
    const { limit, policies } = await this.seats.limitOf(tenantId);
    if (limit === null || policies.scim === 'allow') return { needed, free: null, missing: 0 };
    // Seats of leavers are available for users who wait.
    const freed = users.filter(({ freesSeat }) => freesSeat).length;
    const free = Math.max(0, limit - (await this.seats.used(tenantId)) + freed);
    return { needed, free, missing: Math.max(0, needed - free) };
  }

  private async rows(tenantId: string, directoryId: string, after: string): Promise<Row[]> {
    const { rows } = await this.db.query<Row>(
      `select ${USER_COLUMNS}, o.user_id is not null as overlaid, o.doc::text as overlay
       from users u left join preview_writes o on o.tenant_id = $1 and o.directory_id = $2 and o.user_id = u.id
       where u.tenant_id = $1 and u.id > $3 and u.id = any(array(
         select h.id from users h where h.tenant_id = $1 and h.held is not null and h.held = 'preview' and h.directory_id = $2
         union all select w.user_id from preview_writes w where w.tenant_id = $1 and w.directory_id = $2))
       order by u.id limit ${BATCH}`,
      [tenantId, directoryId, after],
    );
    return rows;
  }

  /** Returns for each row whether another active user has its e-mail or `external_id`. */
  private async taken(
    tenantId: string,
    people: { email: string | null; external_id: string | null }[],
    rows: Row[],
  ): Promise<(i: number) => { emailTaken: boolean; externalIdTaken: boolean }> {
    const emails = people.map(({ email }) => (email === null ? null : emailKey(email)));
    const { rows: holders } = await this.db.query<{ id: string; email_key: string | null; key: string | null }>(
      `select id, email_key, null as key from users where tenant_id = $1 and email_key = any($2::text[]) and status = 'active'
       union all select id, null, person_external_id from users
       where tenant_id = $1 and person_external_id = any($3::text[]) and status = 'active'`,
      [tenantId, emails.filter((key) => key !== null), people.map((person) => person.external_id).filter((key) => key !== null)],
    ); // prettier-ignore
    const byEmail = new Map(holders.map((holder) => [holder.email_key, holder.id]));
    const byKey = new Map(holders.map((holder) => [holder.key, holder.id]));
    const isOthers = (holder: string | undefined, row: Row): boolean => holder !== undefined && holder !== row.id;
    return (i) => ({
      emailTaken: emails[i] != null && isOthers(byEmail.get(emails[i]), rows[i]!),
      externalIdTaken: people[i]!.external_id !== null && isOthers(byKey.get(people[i]!.external_id), rows[i]!),
    });
  }
}
