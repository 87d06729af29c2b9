import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { GroupRule } from './directories.dto.js';

/** A group rule with the current name of its group. */
export interface GroupRuleRow {
  group_id: string;
  /** The current name of the group. */
  group: string;
  role: string;
}

/** Statements on the table of group rules. */
@Injectable()
export class GroupRulesRepository {
  constructor(private readonly db: Database) {}

  async list(tenantId: string, directoryId: string, db: SqlRunner = this.db): Promise<GroupRuleRow[]> {
    const { rows } = await db.query<GroupRuleRow>(
      `select r.group_id, g.display_name as "group", r.role
       from group_rules r join groups g on g.tenant_id = r.tenant_id and g.id = r.group_id
       where r.tenant_id = $1 and r.directory_id = $2 order by r.position`,
      [tenantId, directoryId],
    );
    return rows;
  }

  /** Returns which of the given groups and roles exist. Locks the groups of the current and of the new rules, by id. */
  async knownOf(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    rules: readonly GroupRule[],
  ): Promise<{ groups: Set<string>; roles: Set<string> }> {
    const groups = await tx.query<{ id: string }>(
      `select id from groups where tenant_id = $1 and directory_id = $2 and (id = any($3::text[]) or id in (
         select group_id from group_rules where tenant_id = $1 and directory_id = $2)) order by id for key share`,
      [tenantId, directoryId, rules.map((rule) => rule.group_id)],
    );
    const roles = await tx.query<{ name: string }>(
      `select name from roles where tenant_id = $1 and name = any($2::text[])`,
      [tenantId, rules.map((rule) => rule.role)],
    );
    return { groups: new Set(groups.rows.map((row) => row.id)), roles: new Set(roles.rows.map((row) => row.name)) };
  }

  async replace(tx: SqlRunner, tenantId: string, directoryId: string, rules: readonly GroupRule[]): Promise<void> {
    await tx.query(`delete from group_rules where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await tx.query(
      `insert into group_rules (tenant_id, directory_id, position, group_id, role)
       select $1, $2, n.position, n.group_id, n.role
       from unnest($3::text[], $4::text[]) with ordinality n (group_id, role, position)`,
      [tenantId, directoryId, rules.map((rule) => rule.group_id), rules.map((rule) => rule.role)],
    );
  }
}
