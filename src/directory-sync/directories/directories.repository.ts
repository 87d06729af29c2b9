import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { DirectoryBody, ScimTokenBody, GroupRule } from './directories.dto.js';
import type { CredentialRequests } from './directory-marks.js';
import { DirectoryContent } from './directory-people.js';
import type { GuardFigures, StoredCustomAttribute } from './directory.js';

export interface DirectoryRow extends Omit<DirectoryBody, 'guard' | 'custom_attributes' | 'scim_base_url' | 'notices'> {
  guard: { off?: boolean } & Partial<GuardFigures>;
  custom_attributes: StoredCustomAttribute[];
}

export type DirectorySettings = Pick<
  DirectoryRow,
  | 'name'
  | 'profile'
  | 'state'
  | 'default_role'
  | 'attribute_map'
  | 'on_match'
  | 'takes_over'
  | 'replace_creates_missing'
  | 'may_grant_console'
  | 'guard'
  | 'allow_from'
  | 'custom_attributes'
>;

const COLUMNS = `d.id, d.name, d.profile, d.state, d.default_role, d.attribute_map, d.on_match, d.takes_over,
  d.replace_creates_missing, d.may_grant_console, d.guard, d.allow_from, d.custom_attributes,
  (select min(o.id) from directories o where o.tenant_id = d.tenant_id and o.takes_over = d.id and o.deleted_at is null
    and o.state = 'live') as superseded_by,
  d.last_request_at, d.last_refusal, d.last_unknown_role, d.created_at, d.updated_at`;

function columnsOf(settings: DirectorySettings): unknown[] {
  return [
    settings.name,
    settings.profile,
    settings.state,
    settings.default_role,
    JSON.stringify(settings.attribute_map),
    settings.on_match,
    settings.takes_over,
    settings.replace_creates_missing,
    settings.may_grant_console,
    JSON.stringify(settings.guard),
    JSON.stringify(settings.allow_from),
    JSON.stringify(settings.custom_attributes),
  ];
}

export type ScimTokenRow = Omit<ScimTokenBody, keyof CredentialRequests>;

const TOKEN_COLUMNS = 'id, name, prefix, created_by, expires_at, last_used_at, revoked_at, created_at';

export interface GroupRuleRow {
  group_id: string;
  group: string;
  role: string;
}

@Injectable()
export class DirectoriesRepository {
  constructor(
    private readonly db: Database,
    private readonly content: DirectoryContent,
  ) {}

  /** Inserts a directory. New directories of a week share one first day in a tenant, also with deleted ones. */
  async insert(tx: SqlRunner, tenantId: string, id: string, settings: DirectorySettings): Promise<void> {
    await tx.query(
      `insert into directories (tenant_id, id, name, profile, state, default_role, attribute_map, on_match, takes_over,
         replace_creates_missing, may_grant_console, guard, allow_from, custom_attributes, first_day_from)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, coalesce(
         (select case when newest.first_day_from > now() - interval '7 days' then newest.first_day_from end
          from (select o.first_day_from from directories o where o.tenant_id = $1 order by o.id desc limit 1) newest),
         now()))`,
      [tenantId, id, ...columnsOf(settings)],
    );
  }

  async update(tx: SqlRunner, tenantId: string, id: string, settings: DirectorySettings): Promise<void> {
    await tx.query(
      `update directories set name = $3, profile = $4, state = $5, default_role = $6, attribute_map = $7, on_match = $8,
         takes_over = $9, replace_creates_missing = $10, may_grant_console = $11, guard = $12,
         allow_from = $13, custom_attributes = $14, updated_at = now()
       where tenant_id = $1 and id = $2`,
      [tenantId, id, ...columnsOf(settings)],
    );
  }

  async list(tenantId: string, page: PageRequest): Promise<DirectoryRow[]> {
    const { rows } = await this.db.query<DirectoryRow>(
      `select ${COLUMNS} from directories d
       where d.tenant_id = $1 and d.deleted_at is null and ($2::text is null or d.id < $2) order by d.id desc limit $3`,
      [tenantId, page.after, page.limit + 1],
    );
    return rows;
  }

  async find(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<DirectoryRow | null> {
    const { rows } = await db.query<DirectoryRow>(
      `select ${COLUMNS} from directories d where d.tenant_id = $1 and d.id = $2 and d.deleted_at is null
       ${lock ? 'for no key update of d' : ''}`,
      [tenantId, id],
    );
    return rows[0] ?? null;
  }

  /** Marks a directory as deleted. Returns the ids of its tokens, which end. */
  async markDeleted(tx: SqlRunner, tenantId: string, id: string): Promise<string[]> {
    await tx.query(`delete from group_rules where tenant_id = $1 and directory_id = $2`, [tenantId, id]);
    const { rows } = await tx.query<{ id: string }>(
      `update scim_tokens set revoked_at = least(revoked_at, now()) where tenant_id = $1 and directory_id = $2
         and (revoked_at is null or revoked_at > now()) returning id`,
      [tenantId, id],
    );
    await tx.query(`update directories set deleted_at = now(), updated_at = now() where tenant_id = $1 and id = $2`, [
      tenantId,
      id,
    ]);
    return rows.map((row) => row.id);
  }

  /** Returns whether `other` already has another successor, or takes over `id`, directly or along a chain. */
  async inTakeover(tx: SqlRunner, tenantId: string, id: string, other: string): Promise<boolean> {
    // Serialises changes of take-overs in a tenant: the second of two requests sees the rows of the first.
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rowCount } = await tx.query(
      `with recursive alive as (select id, takes_over from directories where tenant_id = $1 and deleted_at is null),
       chain (id) as (select $3::text collate "C" union select a.takes_over from alive a join chain c on a.id = c.id
         where a.takes_over is not null)
       select 1 from alive where takes_over = $3 and id <> $2 union all select 1 from chain where id = $2 limit 1`,
      [tenantId, id, other],
    );
    return (rowCount ?? 0) > 0;
  }

  /**
   * Returns every custom attribute that a directory of the tenant has ever declared. A concurrent declaration waits.
   */
  async customAttributes(
    tx: SqlRunner,
    tenantId: string,
  ): Promise<{ directory: string; attribute: StoredCustomAttribute }[]> {
    await tx.query(`select 1 from tenants where id = $1 for no key update`, [tenantId]);
    const { rows } = await tx.query<{ directory: string; attribute: StoredCustomAttribute }>(
      `select d.name as directory, a.value as attribute from directories d, jsonb_array_elements(d.custom_attributes) a
       where d.tenant_id = $1`,
      [tenantId],
    );
    return rows;
  }

  async hasRole(db: SqlRunner, tenantId: string, role: string): Promise<boolean> {
    // Requests that name the role share the lock; a request that deletes the role waits.
    const { rowCount } = await db.query(`select 1 from roles where tenant_id = $1 and name = $2 for key share`, [
      tenantId,
      role,
    ]);
    return rowCount === 1;
  }

  async insertToken(
    tx: SqlRunner,
    token: {
      tenantId: string;
      id: string;
      directoryId: string;
      name: string;
      prefix: string;
      hash: Buffer;
      createdBy: unknown;
      expiresAt: Date | null;
    },
  ): Promise<void> {
    await tx.query(
      `insert into scim_tokens (tenant_id, id, directory_id, name, prefix, hash, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        token.tenantId,
        token.id,
        token.directoryId,
        token.name,
        token.prefix,
        token.hash,
        JSON.stringify(token.createdBy),
        token.expiresAt,
      ],
    );
  }

  async listTokens(tenantId: string, directoryId: string, page: PageRequest): Promise<ScimTokenRow[]> {
    const { rows } = await this.db.query<ScimTokenRow>(
      `select ${TOKEN_COLUMNS} from scim_tokens
       where tenant_id = $1 and directory_id = $2 and ($3::text is null or id < $3) order by id desc limit $4`,
      [tenantId, directoryId, page.after, page.limit + 1],
    );
    return rows;
  }

  /** Returns when a live token of a directory was last used; null when none was. */
  async lastUseOfToken(tx: SqlRunner, tenantId: string, directoryId: string): Promise<Date | null> {
    const { rows } = await tx.query<{ at: Date | null }>(
      `select max(last_used_at) as at from scim_tokens
       where tenant_id = $1 and directory_id = $2 and (revoked_at is null or revoked_at > now())`,
      [tenantId, directoryId],
    );
    return rows[0]!.at;
  }

  async findToken(
    tenantId: string,
    directoryId: string,
    id: string,
    db: SqlRunner = this.db,
    lock = false,
  ): Promise<ScimTokenRow | null> {
    const { rows } = await db.query<ScimTokenRow>(
      `select ${TOKEN_COLUMNS} from scim_tokens where tenant_id = $1 and directory_id = $2 and id = $3
       ${lock ? 'for update' : ''}`,
      [tenantId, directoryId, id],
    );
    return rows[0] ?? null;
  }

  /** Ends a token in `inSeconds` seconds; an earlier end stays. */
  async revokeToken(tx: SqlRunner, tenantId: string, id: string, inSeconds: number): Promise<void> {
    await tx.query(
      `update scim_tokens set revoked_at = least(revoked_at, now() + make_interval(secs => $3))
       where tenant_id = $1 and id = $2`,
      [tenantId, id, inSeconds],
    );
  }

  async hasDirectory(tenantId: string, id: string, db: SqlRunner = this.db): Promise<boolean> {
    const { rowCount } = await db.query(
      `select 1 from directories where tenant_id = $1 and id = $2 and deleted_at is null`,
      [tenantId, id],
    );
    return rowCount === 1;
  }

  async listRules(tenantId: string, directoryId: string, db: SqlRunner = this.db): Promise<GroupRuleRow[]> {
    const { rows } = await db.query<GroupRule>(
      `select group_id, role from group_rules where tenant_id = $1 and directory_id = $2 order by position`,
      [tenantId, directoryId],
    );
    const ids = rows.map((rule) => rule.group_id);
    const names = await this.content.groupNames(db === this.db ? null : db, tenantId, ids);
    return rows.map(({ group_id, role }) => ({ group_id, group: names.get(group_id) ?? group_id, role }));
  }

  /**
   * Returns which groups and roles exist. Locks the groups of the current and of the new rules in the order of their
   * ids.
   */
  async knownGroups(
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

  async replaceRules(tx: SqlRunner, tenantId: string, directoryId: string, rules: readonly GroupRule[]): Promise<void> {
    await tx.query(`delete from group_rules where tenant_id = $1 and directory_id = $2`, [tenantId, directoryId]);
    await tx.query(
      `insert into group_rules (tenant_id, directory_id, position, group_id, role)
       select $1, $2, n.position, n.group_id, n.role
       from unnest($3::text[], $4::text[]) with ordinality n (group_id, role, position)`,
      [tenantId, directoryId, rules.map((rule) => rule.group_id), rules.map((rule) => rule.role)],
    );
  }
}
