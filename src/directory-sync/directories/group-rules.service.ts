import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import { demandAdministrators } from '../../tenancy/tenants/administrators.js';
import { AuditService } from '../../tenancy/tenants/audit/audit.service.js';
import { RoleDeleting, RoleConsoleChanged } from '../../tenancy/tenants/tenants.events.js';
import type { GroupRule } from './directories.dto.js';
import { DirectoriesRepository, type GroupRuleRow } from './directories.repository.js';
import { DirectoriesService } from './directories.service.js';
import { DirectoryPeople } from './directory-people.js';
import { adminSourceOf, type AdminRequest } from './directory.js';
import { DirectoryStore } from './directory.store.js';

function essence({ group_id, role }: GroupRule): GroupRule {
  return { group_id, role };
}

/**
 * The group rules of a directory: an ordered list. A rule names the group by id, so a rename does not affect it.
 *
 * A role that gets rights of administration, or loses them, changes what directories without `may_grant_console` give.
 * A task for each such directory computes the roles of its users again.
 */
@Injectable()
export class GroupRulesService {
  constructor(
    private readonly db: Database,
    private readonly repository: DirectoriesRepository,
    private readonly directories: DirectoriesService,
    private readonly people: DirectoryPeople,
    private readonly audit: AuditService,
    private readonly store: DirectoryStore,
    events: DomainEvents,
  ) {
    events.on(RoleDeleting, (event) => this.count(event));

    events.on(RoleConsoleChanged, (change) => this.roleChanged(change));
  }

  async list(tenantId: string, directoryId: string): Promise<GroupRuleRow[]> {
    await this.directories.demand(tenantId, directoryId);
    return this.repository.listRules(tenantId, directoryId);
  }

  /**
   * Replaces the whole list. A task updates the users.
   *
   * @param administrators how many administrators the caller expects to lose the console
   * @throws {Conflict} `administrators_unconfirmed` when the number differs
   */
  async replace(
    by: AdminRequest,
    directoryId: string,
    rules: readonly GroupRule[],
    administrators?: number,
  ): Promise<GroupRuleRow[]> {
    const { tenantId } = by;
    demandAdministrators(await this.people.administratorsLost(tenantId, directoryId, { rules }), administrators);
    const after = await this.db.transaction(tenantId, async (tx) => {
      await this.directories.demand(tenantId, directoryId, tx, true);
      const before = await this.repository.listRules(tenantId, directoryId, tx);
      await this.demandGroupsAndRoles(tx, tenantId, directoryId, before, rules);
      const same = JSON.stringify(before.map(essence)) === JSON.stringify(rules.map(essence));
      if (same) return before;
      await this.repository.replaceRules(tx, tenantId, directoryId, rules);
      await this.audit.record(tx, {
        ...by,
        action: 'group_rules.changed',
        targetType: 'directory',
        targetId: directoryId,
        before: before.map(essence),
        after: rules.map(essence),
      });
      await this.people.ruleChanged(tx, tenantId, directoryId, adminSourceOf(by, directoryId));
      return this.repository.listRules(tenantId, directoryId, tx);
    });
    await this.store.forget();
    return after;
  }

  /**
   * Refuses what {@link replace} would refuse.
   *
   * @throws {NotFound} when the tenant has no such directory
   * @throws {InvalidFields} naming the groups and roles that do not exist
   */
  async demandKnown(tenantId: string, directoryId: string, rules: readonly GroupRule[]): Promise<void> {
    await this.directories.demand(tenantId, directoryId);
    await this.demandGroupsAndRoles(this.db, tenantId, directoryId, [], rules);
  }

  private async demandGroupsAndRoles(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    current: readonly GroupRule[],
    rules: readonly GroupRule[],
  ): Promise<void> {
    const known = await this.repository.knownGroups(db, tenantId, directoryId, current, rules);
    const errors: FieldError[] = [];
    rules.forEach(({ group_id, role }, i) => {
      if (!known.groups.has(group_id))
        errors.push({ field: `rules.${i}.group_id`, message: 'must be a group of this directory' });
      if (!known.roles.has(role)) errors.push({ field: `rules.${i}.role`, message: 'must be a role of the catalogue' });
    });
    if (errors.length > 0) throw new InvalidFields(errors);
  }

  private async count(event: RoleDeleting): Promise<void> {
    const { rows } = await event.tx.query<{ uses: number }>(
      `select (select count(*) from directories where tenant_id = $1 and default_role = $2 and deleted_at is null)::int
            + (select count(*) from group_rules where tenant_id = $1 and role = $2)::int as uses`,
      [event.tenantId, event.role],
    );
    event.uses += rows[0]!.uses;
  }

  private async roleChanged({ tx, by, before, after }: RoleConsoleChanged): Promise<void> {
    if ((before === 'none') === (after === 'none')) return;
    const { rows } = await tx.query<{ id: string }>(
      `select id from directories where tenant_id = $1 and deleted_at is null and not may_grant_console order by directories.id`,
      [by.tenantId],
    );
    for (const { id } of rows) await this.people.ruleChanged(tx, by.tenantId, id, adminSourceOf(by, id));
  }
}
