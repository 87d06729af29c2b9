import { equalities, type BoundValueFilter } from '../../../protocols/scim/filter/bound.js';
import type { ColumnMap } from '../../../protocols/scim/filter/column-map.js';
import { toSql } from '../../../protocols/scim/filter/to-sql.js';
import { USER_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { foldCase, userNameKey } from '../../../protocols/scim/text.js';
import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { KEPT_REVISION } from '../../users/kept-writes.repository.js';
import { isGone, MANAGER_NAME, populationOf, RELATIONS } from '../../users/user-relations.js';
import { millisecondsSql, RESOURCE_FACTS } from '../../users/user.row.js';
import type { ListTable } from '../page-sql.js';
import { readsKept, type CurrentDirectory } from '../scim-request.js';
import { USER_TAG_SQL } from './user-resource.js';

// The indexes of `schema/users.sql` have these expressions, character for character.
const DISPLAY_NAME = `lower((u.doc #>> '{displayName}') collate scim_text)`;
const MODIFIED_AT = 'coalesce(u.resource_at, u.updated_at)';
/** An index entry has at most 2 704 bytes, so longer texts are sorted by their beginning. */
const INDEXED_CHARACTERS = 256;

/** Returns the beginning of a text. A missing text is the highest character, which sorts last. */
function beginningOf(text: string): string {
  return `(coalesce(left(${text}, ${INDEXED_CHARACTERS}), chr(1114111)) collate "C")`;
}

/** A deleted manager is not shown; a value that never was an id of this service is. */
const MANAGER_SHOWN = `not ${isGone('$1', 'u.manager_id')}`;

function managerColumns(): ColumnMap['columns'] {
  const manager = `${ENTERPRISE_URN}:manager`;
  return {
    [`${manager}.value`]: { sql: 'u.manager_id', type: 'text', nullable: true, when: MANAGER_SHOWN },
    [`${manager}.$ref`]: { sql: managerOf('b.id'), type: 'text', nullable: true, path: '/Users/' },
    [`${manager}.displayName`]: { sql: managerOf(MANAGER_NAME), type: 'text', nullable: true },
  };
}

function managerOf(what: string): string {
  return `(select ${what} from users b where b.tenant_id = $1 and b.id = u.manager_id and b.gone_at is null
    and coalesce(b.directory_id, ($2::text[])[1]) = ($2::text[])[1])`;
}

/** Attributes of a user with a column or a table of their own. Filters on other attributes read the document. */
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
    'meta.location': { sql: 'u.id', type: 'text', path: '/Users/' },
    'meta.version': { sql: USER_TAG_SQL, type: 'text' },
    ...managerColumns(),
  },
  lists: { emails: emailsFromTable, groups: groupsFromTable },
};

/**
 * Returns SQL for a filter on value or type over the table of e-mails, without reading documents. Null for other parts
 * of an e-mail.
 */
function emailsFromTable(inner: BoundValueFilter, params: unknown[]): string | null {
  const equal = emailsByIndex(inner, params);
  if (equal !== null || !asksOf(inner, EMAIL_OF_USER) || !needsValue(inner)) return equal;
  return `u.id in (select e.user_id from user_emails e where e.tenant_id = $1 and ${toSql(inner, EMAIL_OF_USER, params)})`;
}

const EMAIL_OF_USER: ColumnMap = {
  document: null,
  columns: {
    value: { sql: 'e.value_key', type: 'text', key: foldCase },
    type: { sql: `nullif(e.type_key, '')`, type: 'text', nullable: true, key: foldCase },
  },
  lists: {},
};

/**
 * Returns whether a filter uses only attributes with a column. A column does not distinguish an empty text from a
 * missing one.
 */
function asksOf(filter: BoundValueFilter, map: ColumnMap): boolean {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.every((term) => asksOf(term, map));
    case 'not':
      return asksOf(filter.term, map);
    case 'present':
      return Object.hasOwn(map.columns, filter.target.path);
    case 'compare':
      return Object.hasOwn(map.columns, filter.target.path) && filter.value !== '';
    default:
      return false;
  }
}

/** Returns whether only an e-mail with a value can match: the table has no others. */
function needsValue(filter: BoundValueFilter): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.some(needsValue);
    case 'or':
      return filter.terms.every(needsValue);
    case 'compare':
      return filter.target.path === 'value' && filter.op !== 'ne';
    case 'present':
      return filter.target.path === 'value';
    default:
      return false;
  }
}

/**
 * Returns SQL for `emails[value eq …]` and `emails[type eq … and value eq …]` over the index of e-mails. A sub-query
 * that runs first gives the ids, so the plan does not depend on statistics.
 */
function emailsByIndex(inner: BoundValueFilter, params: unknown[]): string | null {
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
    $ref: { sql: 'g.id', type: 'text', path: '/Groups/' },
    display: { sql: 'g.display_name', type: 'text' },
    type: { sql: `'direct'::text`, type: 'text' },
  },
  lists: {},
};

/**
 * Returns SQL for the members of the groups that a filter finds. Each group is read once, then its members. Members of
 * a single group are read in the order of their ids, so that a page of a large group stops at its last row.
 */
function groupsFromTable(inner: BoundValueFilter, params: unknown[], base: string): string {
  const value = equalities(inner)?.get('value');
  const isOne = typeof value === 'string' && equalities(inner)!.size === 1;
  const groups = `select g.id from groups g where g.tenant_id = $1 and g.directory_id = ($2::text[])[1]
    and ${isOne ? `g.id = $${params.push(value)}` : toSql(inner, { ...GROUP_OF_USER, base }, params)}`;
  // Without `offset 0` the condition is evaluated for each membership in place of each group.
  const which = isOne ? `= (${groups})` : `in (${groups} offset 0)`;
  return `u.id in (select m.member_id from group_members m where m.tenant_id = $1 and m.group_id ${which})`;
}

const USER_KEYS = {
  columns: ['id', 'meta.location', `${ENTERPRISE_URN}:manager.value`, 'userName', 'externalId', 'displayName'],
  lists: ['emails'],
};

// The users as a directory in preview sees them: `$1` is the tenant, `$2` its owners, beginning with the directory. An
// overlay replaces the resource of a user of another owner. A user that the directory removed is not shown.
const SHOWN = `(
  select b.tenant_id, b.id, b.directory_id, b.created_at,
    case when o.user_id is null then b.doc else o.doc end as doc,
    case when o.user_id is null then b.doc_bytes else o.doc_bytes end as doc_bytes,
    coalesce(o.user_name_key, b.user_name_key) as user_name_key,
    case when o.user_id is null then b.external_id else o.external_id end as external_id,
    coalesce(o.active, b.active) as active,
    case when o.user_id is null then b.version::bigint - b.quiet_writes else ${KEPT_REVISION} end as version,
    0 as quiet_writes, b.manager_id,
    case when o.user_id is null then b.resource_at else date_trunc('milliseconds', o.updated_at) end as resource_at,
    b.updated_at,
    case when o.user_id is not null and o.doc is null then o.updated_at else b.gone_at end as gone_at
  from users b left join preview_writes o
    on o.tenant_id = $1 and o.directory_id = ($2::text[])[1] and o.user_id = b.id
  where b.tenant_id = $1) u`;

const REMOVED = `(select count(*)::int from preview_writes r
  where r.tenant_id = $1 and r.directory_id = ($2::text[])[1] and r.doc is null)`;

/** Only directories in preview pay for the join. */
function previewTable(table: ListTable): ListTable {
  return { ...table, from: SHOWN, total: `(${table.total!} - ${REMOVED})`, exactTotal: false };
}

export const USER_TEXT_FACTS = `${millisecondsSql('u.created_at')} as created_at, ${RESOURCE_FACTS}`;

export const USER_TEXT_COLUMNS = `u.id, u.doc::text as doc, ${USER_TEXT_FACTS}, ${RELATIONS}`;

export const USER_TABLE: ListTable = {
  type: USER_TYPE,
  map: USER_COLUMN_MAP,
  from: 'users u',
  id: 'u.id',
  // Without `case` the planner assumes that few rows are visible. It then reads and sorts all users of the tenant,
  // where a walk along the key gives the page at once.
  visible: `u.tenant_id = $1 and case when u.gone_at is null then coalesce(u.directory_id, '') = any($2) else false end`,
  total: populationOf('= any($2)'),
  exactTotal: true,
  keys: USER_KEYS,
};

export const PREVIEW_TABLE = previewTable(USER_TABLE);

export function tableFor(directory: CurrentDirectory): ListTable {
  const { userType } = directory;
  const table = readsKept(directory) ? PREVIEW_TABLE : USER_TABLE;
  return userType === USER_TYPE ? table : { ...table, type: userType };
}
