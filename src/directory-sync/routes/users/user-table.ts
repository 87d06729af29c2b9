import { USER_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { millisecondsSql, RESOURCE_FACTS } from '../../users/user.row.js';
import { populationOf, RELATIONS } from '../../users/user-relations.js';
import { readsKept, type CurrentDirectory } from '../current-directory.js';
import type { ListTable } from '../list-table.js';
import { KEPT_REVISION } from '../../users/kept-writes.repository.js';
import { USER_COLUMN_MAP, USER_KEYS } from './user.columns.js';

// The users as a directory in preview sees them: `$1` is the tenant, `$2` its owners, of which the first is the
// directory. An overlay replaces the resource of a user of another owner. A user that the directory removed is not
// shown.
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

/** Returns the table of users for directories in preview. Only these directories pay for the join. */
function previewTable(table: ListTable): ListTable {
  return { ...table, from: SHOWN, total: `(${table.total!} - ${REMOVED})`, exactTotal: false };
}

/** The columns of a `StoredUser` that the row has itself, without its document. */
export const USER_TEXT_FACTS = `${millisecondsSql('u.created_at')} as created_at, ${RESOURCE_FACTS}`;

/** The columns of a `StoredUser`, for a table that is called `u`. */
export const USER_TEXT_COLUMNS = `u.id, u.doc::text as doc, ${USER_TEXT_FACTS}, ${RELATIONS}`;

/** The users of a directory. */
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

/** The users of a directory in preview, as its writes would make them. */
export const PREVIEW_TABLE = previewTable(USER_TABLE);

/** Returns the table of users as a directory sees them. */
export function tableFor(directory: CurrentDirectory): ListTable {
  const { userType } = directory;
  const table = readsKept(directory) ? PREVIEW_TABLE : USER_TABLE;
  return userType === USER_TYPE ? table : { ...table, type: userType };
}
