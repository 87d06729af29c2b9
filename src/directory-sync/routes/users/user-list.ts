import { projectionNeeds, type Projection } from '../../../protocols/scim/resource/project.js';
import { USER_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { DOC_BYTES, millisecondsSql, RESOURCE_FACTS } from '../../users/user.row.js';
import { GROUP_BYTES, GROUP_IDS, groupLine, MANAGER, RELATIONS } from '../../users/user-relations.js';
import type { CurrentDirectory } from '../current-directory.js';
import type { ListTable } from '../list-table.js';
import type { ListColumns } from '../page-sql.js';
import { LIGHT_USERS, lightMembers } from './light-users.js';
import { previewTable } from '../preview/preview-table.js';
import type { ListShapes } from '../page-reader.js';
import { USER_COLUMN_MAP, USER_KEYS } from './user.columns.js';

const FACTS = `${millisecondsSql('u.created_at')} as created_at, ${RESOURCE_FACTS}`;
/** The columns of a `StoredUser`, for a table that is called `u`. */
export const USER_TEXT_COLUMNS = `u.id, u.doc::text as doc, ${FACTS}, ${RELATIONS}`;

const FOUND = `u.id, u.doc, ${DOC_BYTES} as doc_bytes, ${FACTS}`;
const SHOWN = `c.id, case when c.fits then c.doc::text end as doc, c.revision, c.created_at, c.modified_at`;

/** The columns of a list whose projection shows nothing of other resources. */
const OWN_COLUMNS: ListColumns = {
  found: FOUND,
  bytes: 'a.doc_bytes',
  shown: `${SHOWN}, null as groups, null as manager`,
};

/** Of a few users, each with the names of its groups. */
const FEW_COLUMNS: ListColumns = {
  found: `${FOUND}, ${RELATIONS}`,
  bytes: 'a.doc_bytes + coalesce(octet_length(a.groups), 0)',
  shown: `${SHOWN}, case when c.fits then c.groups end as groups, c.manager`,
};

/** A row has the ids of its groups, and the page has the names of all of them. */
const PAGE_COLUMNS: ListColumns = {
  found: `${FOUND}, ${GROUP_IDS} as group_ids, ${MANAGER}`,
  bytes: `a.doc_bytes
    + coalesce(cardinality(a.group_ids) * (select ${GROUP_BYTES} + max(octet_length(n.display_name)) from n), 0)`,
  common: {
    found: `select g.id, g.directory_id, g.display_name from groups g where g.tenant_id = $1
      and coalesce(g.directory_id, '') = ($2::text[])[1] and g.id = any(array(select distinct unnest(a.group_ids) from a))`,
    text: `string_agg(${groupLine('n')}, chr(10))`,
    used: `n.id in (select unnest(c.group_ids) from cut c where c.fits)`,
  },
  shown: `${SHOWN}, case when c.fits then array_to_string(c.group_ids, ' ') end as groups, c.manager`,
};

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

const LIGHT_MEMBERS = lightMembers(USER_TABLE);
const PREVIEW_MEMBERS = lightMembers(PREVIEW_TABLE);

/** Returns the table of users as a directory sees them. */
export function tableFor({ writing }: CurrentDirectory): ListTable {
  return writing.state === 'preview' ? PREVIEW_TABLE : USER_TABLE;
}

/** Returns the columns of a list for a projection: what it does not show of other resources is not read. */
export function userColumns(projection: Projection | null, table: ListTable): ListShapes {
  const related = ['groups', 'meta', ENTERPRISE_URN].some((name) => projectionNeeds(projection, name));
  if (!related) return { few: OWN_COLUMNS, many: OWN_COLUMNS, light: LIGHT_USERS };
  return { few: FEW_COLUMNS, many: PAGE_COLUMNS, light: table === PREVIEW_TABLE ? PREVIEW_MEMBERS : LIGHT_MEMBERS };
}
