import { equalities, type BoundValueFilter } from '../../scim/filter/bound.js';
import { toSql, type ColumnMap } from '../../scim/filter/to-sql.js';
import { foldCase, userNameKey } from '../../scim/text.js';
import { USER_TAG_SQL } from './user-resource.js';

// These expressions stand in the indexes of the migration ListOrders, word for word.
const DISPLAY_NAME = `lower((u.doc #>> '{displayName}') collate scim_text)`;
const MODIFIED_AT = 'coalesce(u.resource_at, u.updated_at)';
/** An entry of an index has at most 2 704 bytes: of longer texts the beginning is sorted by. */
const INDEXED_CHARACTERS = 256;

/** The beginning of a text, with the last of all characters for a missing one, which so comes last. */
function beginningOf(text: string): string {
  return `(coalesce(left(${text}, ${INDEXED_CHARACTERS}), chr(1114111)) collate "C")`;
}

/** Which attributes of a user have a column or a table of their own; all others are asked of the document. */
export const USER_COLUMN_MAP: ColumnMap = {
  document: 'u.doc',
  columns: {
    id: { sql: 'u.id', type: 'text', sorted: 'u.id' },
    userName: { sql: 'u.user_name_key', type: 'text', key: userNameKey, sorted: 'u.user_name_key' },
    externalId: { sql: 'u.external_id', type: 'text', nullable: true, sorted: beginningOf('u.external_id') },
    displayName: {
      sql: DISPLAY_NAME,
      type: 'text',
      nullable: true,
      key: foldCase,
      sorted: beginningOf(DISPLAY_NAME),
      sortedCharacters: INDEXED_CHARACTERS,
    },
    active: { sql: 'u.active', type: 'boolean' },
    'meta.created': { sql: 'u.created_at', type: 'timestamptz', sorted: 'u.created_at' },
    'meta.lastModified': { sql: MODIFIED_AT, type: 'timestamptz', sorted: MODIFIED_AT },
    'meta.resourceType': { sql: `'User'::text`, type: 'text' },
    'meta.location': { sql: `('/Users/' || u.id)`, type: 'text' },
    'meta.version': { sql: USER_TAG_SQL, type: 'text' },
  },
  lists: { emails: emailsFromTable, groups: groupsFromTable },
};

/**
 * `emails[value eq …]` and `emails[type eq … and value eq …]` from the table that has an index for them. The ids come
 * from a sub-query that is run first: whatever the statistics say, there is no other plan.
 */
function emailsFromTable(inner: BoundValueFilter, params: unknown[]): string | null {
  const equal = equalities(inner);
  const value = equal?.get('value');
  if (!equal || typeof value !== 'string') return null;
  const type = equal.get('type');
  if (equal.size > (type === undefined ? 1 : 2)) return null;
  const conditions = [`e.tenant_id = $1`, `e.value_key = $${params.push(foldCase(value))}`];
  if (typeof type === 'string') conditions.push(`e.type_key = $${params.push(foldCase(type))}`);
  return `u.id = any(array(select e.user_id from user_emails e where ${conditions.join(' and ')}))`;
}

const GROUP_OF_USER: ColumnMap = {
  document: null,
  columns: {
    value: { sql: 'g.id', type: 'text' },
    display: { sql: 'g.display_name', type: 'text' },
    type: { sql: `'direct'::text`, type: 'text' },
  },
  lists: {},
};

function groupsFromTable(inner: BoundValueFilter, params: unknown[]): string {
  return `exists (select 1 from group_members m join groups g on g.tenant_id = m.tenant_id and g.id = m.group_id
    where m.tenant_id = u.tenant_id and m.member_id = u.id and g.directory_id = ($2::text[])[1]
      and ${toSql(inner, GROUP_OF_USER, params)})`;
}

/** An index finds whoever has one of these, or any value of a list other than their groups. */
export const USER_KEYS = { columns: ['id', 'userName', 'externalId', 'displayName'], notLists: ['groups'] };
