import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { GroupRule } from './groups.dto.js';
import { DirectoryContent } from './directory-content.js';

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
  constructor(
    private readonly db: Database,
    private readonly content: DirectoryContent,
  ) {}

  /** Returns the rules of a directory in their order. */
  async list(tenantId: string, directoryId: string, db: SqlRunner = this.db): Promise<GroupRuleRow[]> {
    const { rows } = await db.query<GroupRule>(
      `select group_id, role from group_rules where tenant_id = $1 and directory_id = $2 order by position`,
      [tenantId, directoryId],
    );
    const ids = rows.map((rule) => rule.group_id);
    const names = await this.content.groupNames(db === this.db ? null : db, tenantId, ids);
    return rows.map(({ group_id, role }) => ({ group_id, group: names.get(group_id) ?? group_id, role }));
  }

  /** Returns which of the given groups and roles exist. Locks the groups of the current and of the new rules, by id. */
  async knownOf(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    current: readonly GroupRule[],
    rules: readonly GroupRule[],
  ): Promise<{ groups: Set<string>; roles: Set<string> }> {
    const ids = [...current, ...rules].map((rule) => rule.group_id);
    const groups = await this.content.lockGroups(tx, tenantId, directoryId, ids);
    const roles = await tx.query<{ name: string }>(
      `select name from roles where tenant_id = $1 and name = any($2::text[])`,
      [tenantId, rules.map((rule) => rule.role)],
    );
    return { groups, roles: new Set(roles.rows.map((row) => row.name)) };
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
