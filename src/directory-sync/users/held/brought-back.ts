import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import type { Person } from '../../../tenancy/identity/person.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import { sourceOf, type RequestedBy } from '../../../tenancy/tenants/caller.js';
import { DirectoryStore } from '../../directories/directory.store.js';
import type { DepartureKind } from '../guard/guard.rules.js';
import { joinGroups } from '../groups/memberships.sql.js';
import { draftOf, type UserDocument } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { UsersRepository } from '../users.repository.js';
import { givenRoles } from '../write/requested-state.rules.js';
import { UsersService } from '../write/users.service.js';
import type { WriteContext } from '../write/write-context.js';

interface Left {
  how: DepartureKind;
  person: Person;
  /** The resource of a deleted user; null: the user is there. */
  doc: string | null;
  /** When a deleted user was created; null: a process of an older version deleted the user. */
  user_created_at: Date | null;
  groups: string[];
}

/** Undoes the departure of a user: with id, role, groups and account of the platform; the seat by the ordinary rule. */
@Injectable()
export class BroughtBack {
  constructor(
    private readonly db: Database,
    private readonly users: UsersService,
    private readonly rules: UsersRepository,
    private readonly directories: DirectoryStore,
    private readonly audit: AuditService,
  ) {}

  /**
   * Brings one user back.
   *
   * @throws {NotFound} when the user has not left the directory within the last 24 hours
   * @throws {Conflict} `rule_still_applies` when a rule still gives the role or seat that the user has now; `still_held` when the
   *   user is held for another reason
   * @throws {Taken} when another user has the name
   */
  async one(by: RequestedBy, directoryId: string, userId: string): Promise<void> {
    const { tenantId } = by;
    const left = await this.left(tenantId, directoryId, userId);
    const directory = await this.directories.get(tenantId, directoryId);
    const source = sourceOf(by);
    // A user of the same name who came meanwhile is another one, and is not linked.
    const ctx: WriteContext = {
      tenantId,
      channel: 'scim',
      directory: { ...directory, onMatch: 'refuse' },
      source,
      receivedAt: new Date(),
      mayWait: true,
    };
    const row =
      left.doc === null ? await this.active(ctx, by, userId, left) : await this.again(ctx, by, userId, left, left.doc);
    if (row.status !== 'active') {
      throw new Conflict('still_held', `The user is not in force again: held as ${row.held ?? 'inactive'}.`);
    }
  }

  private async left(tenantId: string, directoryId: string, userId: string): Promise<Left> {
    const { rows } = await this.db.query<Left>(
      `select how, person, doc::text as doc, user_created_at, groups from guard_departures
       where tenant_id = $1 and directory_id = $2 and user_id = $3 and went_at > now() - interval '1 day'`,
      [tenantId, directoryId, userId],
    );
    if (rows[0] === undefined) throw new NotFound('departure');
    return rows[0];
  }

  /**
   * Makes a user who is there active, in the former groups that are still there, and with the former role where no rule and no
   * resource gives it any more.
   */
  private async active(
    ctx: WriteContext,
    by: RequestedBy,
    userId: string,
    { how, person, groups }: Left,
  ): Promise<UserRow> {
    const { tenantId, directory } = ctx;
    const { row: after } = await this.users.changeLocked(ctx, userId, async (tx, row, tenant) => {
      await joinGroups(tx, tenantId, userId, groups);
      const fromRules = directory!.hasRules ? await this.rules.rolesFromRules(tenantId, directory!.id, row.id, tx) : [];
      const doc = { ...(JSON.parse(row.doc) as UserDocument), active: true };
      const draft = draftOf(doc, directory!.attributeMap);
      const given = givenRoles({ ctx, tenant, row, draft, roleSet: row.role_set, fromRules, released: null });
      const isGiven = (given.byResource ?? given.byRules) === person.role;
      // A rule comes before a role that is set: what the user has lost by it, only another rule gives back.
      const isRuled = given.byResource !== null || fromRules.some(({ role }) => tenant.roles.has(role));
      if (!isGiven && isRuled && (how === 'role_lost' || how === 'seat_lost')) {
        const why = `A rule of the directory, or its roles, still gives the role "${given.byResource ?? given.byRules}".`;
        throw new Conflict('rule_still_applies', why);
      }
      return {
        kind: 'change',
        draft,
        ...(isGiven || person.role === null ? {} : { roleSet: person.role, roleOrigin: { by: 'set' } as const }),
        trigger: { kind: 'undone' },
        inSameStatement: (statement) => this.audit.addTo(statement, this.line(by, userId)),
      };
    });
    return after;
  }

  /** Makes a deleted user again, under the old id and in the groups that are still there. */
  private async again(ctx: WriteContext, by: RequestedBy, userId: string, left: Left, doc: string): Promise<UserRow> {
    const { tenantId, directory } = ctx;
    const draft = draftOf({ ...(JSON.parse(doc) as UserDocument), active: true }, directory!.attributeMap);
    await this.users.create(ctx, draft, null, {
      id: userId,
      createdAt: left.user_created_at ?? undefined,
      trigger: { kind: 'undone' },
      inSameStatement: (statement) => {
        this.audit.addTo(statement, this.line(by, userId));
      },
      afterWrite: async (tx: SqlRunner) => {
        await tx.query(`delete from deleted_users where tenant_id = $1 and id = $2`, [tenantId, userId]);
        await tx.query(`delete from guard_departures where tenant_id = $1 and directory_id = $2 and user_id = $3`, [
          tenantId,
          directory!.id,
          userId,
        ]);
        await joinGroups(tx, tenantId, userId, left.groups);
      },
    });
    // Rules give the role only once the groups are there.
    const { row } = await this.users.reconsider(ctx, userId, { trigger: { kind: 'undone' } });
    return row.role === left.person.role ? row : this.active(ctx, by, userId, left);
  }

  private line({ tenantId, actor, requestId }: RequestedBy, userId: string) {
    return { tenantId, actor, requestId, action: 'guard.undone', targetType: 'user', targetId: userId };
  }
}
