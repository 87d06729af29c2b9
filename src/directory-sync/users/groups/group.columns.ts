import { equalities, type BoundValueFilter } from '../../../protocols/scim/filter/bound.js';
import type { ColumnMap } from '../../../protocols/scim/filter/column-map.js';
import { toSql } from '../../../protocols/scim/filter/to-sql.js';
import { foldCase } from '../../../protocols/scim/text.js';

/** What can be asked of one member; the rows of `group_members` are called `m`. */
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

/** Which attributes of a group have a column or a table of their own. */
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

/** An index finds the groups that have one of these, or a member. */
export const GROUP_KEYS = { columns: ['id', 'meta.location', 'displayName', 'externalId'], lists: ['members'] };
