import { projectionNeeds, type Projection } from '../../../protocols/scim/resource/project.js';
import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { DOC_BYTES } from '../../users/user.row.js';
import { GROUP_BYTES, GROUP_IDS, groupLine, MANAGER, RELATIONS } from '../../users/user-relations.js';
import { readsKept, type CurrentDirectory } from '../current-directory.js';
import type { ListColumns } from '../page-sql.js';
import { LIGHT_USERS, lightMembers } from './light-users.js';
import type { ListShapes } from '../page-reader.js';
import { PREVIEW_TABLE, USER_TEXT_FACTS, USER_TABLE } from './user-table.js';

const FOUND = `u.id, u.doc, ${DOC_BYTES} as doc_bytes, ${USER_TEXT_FACTS}`;
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

const LIGHT_MEMBERS = lightMembers(USER_TABLE);
const PREVIEW_MEMBERS = lightMembers(PREVIEW_TABLE);

/** Returns the columns of a list for a projection: what it does not show of other resources is not read. */
export function userColumns(projection: Projection | null, directory: CurrentDirectory): ListShapes {
  const related = ['groups', 'meta', ENTERPRISE_URN].some((name) => projectionNeeds(projection, name));
  if (!related) return { few: OWN_COLUMNS, many: OWN_COLUMNS, light: LIGHT_USERS };
  return { few: FEW_COLUMNS, many: PAGE_COLUMNS, light: readsKept(directory) ? PREVIEW_MEMBERS : LIGHT_MEMBERS };
}
