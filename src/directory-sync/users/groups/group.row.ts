import type { SqlRunner } from '../../../base/database/database.js';
import { equalities, type BoundValueFilter } from '../../../protocols/scim/filter/bound.js';
import type { ColumnMap } from '../../../protocols/scim/filter/column-map.js';
import { toSql } from '../../../protocols/scim/filter/to-sql.js';
import { foldCase } from '../../../protocols/scim/text.js';
import { millisecondsSql, type StoredDocument } from '../user.row.js';

/** A stored group. */
export interface GroupRow {
  id: string;
  doc: string;
  version: number;
  created_at: number;
  updated_at: number;
  /** The lines of the members, see `membersColumn`; null when there are none or they were not read. */
  members: string | null;
  members_bytes?: number | null;
}

/** The columns of a `GroupRow` without members; the table is named `g`. */
export const GROUP_COLUMNS = `g.id, g.doc::text as doc, g.version,
  ${millisecondsSql('g.created_at')} as created_at,
  ${millisecondsSql('g.updated_at')} as updated_at`;

/** Larger groups are read in two steps: first the size, then the members. */
export const FEW_MEMBERS = 2000;

export const MEMBER_COLUMN_MAP: ColumnMap = {
  document: null,
  columns: {
    value: { sql: 'm.member_id', type: 'text' },
    type: { sql: 'm.kind', type: 'text' },
    display: { sql: 'm.display', type: 'text', nullable: true },
    $ref: {
      sql: `((case m.kind when 'User' then 'Users/' else 'Groups/' end) || m.member_id)`,
      type: 'text',
      path: '/',
    },
  },
  lists: {},
};

export const GROUP_COLUMN_MAP: ColumnMap = {
  document: 'g.doc',
  columns: {
    id: { sql: 'g.id', type: 'text', sorted: 'g.id' },
    displayName: { sql: 'g.display_name_key', type: 'text', key: foldCase, sorted: 'g.display_name_key' },
    externalId: { sql: 'g.external_id', type: 'text', nullable: true },
    'meta.created': { sql: 'g.created_at', type: 'timestamptz' },
    'meta.lastModified': { sql: 'g.updated_at', type: 'timestamptz' },
    'meta.resourceType': { sql: `'Group'::text`, type: 'text' },
    'meta.location': { sql: 'g.id', type: 'text', path: '/Groups/' },
    'meta.version': { sql: `('W/"' || g.version || '"')`, type: 'text' },
  },
  lists: { members: membersFromTable },
};

function membersFromTable(inner: BoundValueFilter, params: unknown[], base: string): string {
  const value = equalities(inner)?.get('value');
  if (typeof value === 'string' && equalities(inner)!.size === 1) {
    return `g.id = any(array(select m.group_id from group_members m
      where m.tenant_id = $1 and m.member_id = $${params.push(value)}))`;
  }
  return `exists (select 1 from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id
    and ${toSql(inner, { ...MEMBER_COLUMN_MAP, base }, params)})`;
}

export const GROUP_KEYS = { columns: ['id', 'meta.location', 'displayName', 'externalId'], lists: ['members'] };

/** A group as a write sets it, without its members. */
export interface GroupDraft {
  document: StoredDocument;
  displayName: string;
  displayNameKey: string;
  externalId: string | null;
}

// `due`: awaited members that exist now. The rows move from one table to the other.
const JOIN = `
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, group_id, member_id, 'User', display from due on conflict do nothing returning group_id),
  touched as (update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
    where g.tenant_id = $1 and g.id in (select group_id from added))
  select group_id from added`;

/** Adds a user that has come into a directory to the groups that await the user. Returns these groups. */
export async function joinAwaited(
  db: SqlRunner,
  tenantId: string,
  directoryId: string,
  userId: string,
): Promise<string[]> {
  // The write that brings the user has locked its row; the groups are next, by id.
  const { rows: groups } = await db.query<{ id: string }>(
    `select id from groups where tenant_id = $1 and directory_id = $2 and id in (
       select group_id from pending_members where tenant_id = $1 and member_id = $3) order by id for no key update`,
    [tenantId, directoryId, userId],
  );
  if (groups.length === 0) return [];
  const { rows } = await db.query<{ group_id: string }>(
    `with due as (delete from pending_members p using groups g where p.tenant_id = $1 and p.member_id = $3
       and g.tenant_id = $1 and g.id = p.group_id and g.directory_id = $2 returning p.group_id, p.member_id, p.display),
     ${JOIN}`,
    [tenantId, directoryId, userId],
  );
  return rows.map((row) => row.group_id);
}

/** Adds users that have become unmanaged, whom every directory sees, to the groups that await them. */
export async function joinUnmanaged(db: SqlRunner, tenantId: string): Promise<void> {
  await db.query(
    `with due as (delete from pending_members p using users u where p.tenant_id = $1 and u.tenant_id = $1
       and u.id = p.member_id and u.directory_id is null and u.gone_at is null
       returning p.group_id, p.member_id, p.display),
     ${JOIN}`,
    [tenantId],
  );
}
