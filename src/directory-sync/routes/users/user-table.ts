import { USER_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { millisecondsSql, RESOURCE_FACTS } from '../../users/user.row.js';
import { RELATIONS } from '../../users/user-relations.js';
import type { CurrentDirectory } from '../current-directory.js';
import type { ListTable } from '../list-table.js';
import { previewTable } from '../preview/preview-table.js';
import { USER_COLUMN_MAP, USER_KEYS } from './user.columns.js';

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
  total: `(select (coalesce((select sum(n) from population p where p.tenant_id = $1 and p.owner = any($2)), 0)
    + coalesce((select sum(step) from population_steps s where s.tenant_id = $1 and s.owner = any($2)), 0))::int)`,
  exactTotal: true,
  keys: USER_KEYS,
};

/** The users of a directory in preview, as its writes would make them. */
export const PREVIEW_TABLE = previewTable(USER_TABLE);

/** Returns the table of users as a directory sees them. */
export function tableFor({ writing, userType }: CurrentDirectory): ListTable {
  const table = writing.state === 'preview' ? PREVIEW_TABLE : USER_TABLE;
  return userType === USER_TYPE ? table : { ...table, type: userType };
}
