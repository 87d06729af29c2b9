import { GROUP_TYPE } from '../../../protocols/scim/schema/resource-types.js';
import { tooMany } from '../../../protocols/scim/scim.errors.js';
import { GROUP_COLUMN_MAP, GROUP_KEYS } from '../../users/groups/group.columns.js';
import type { ListTable } from '../list-table.js';
import { millisecondsSql } from '../../users/user.row.js';
import type { ListColumns } from '../page-sql.js';
import { memberBytes, membersColumn, type MemberPart } from '../../users/groups/group-members.sql.js';

/** The groups of a directory. */
export const GROUP_TABLE: ListTable = {
  type: GROUP_TYPE,
  map: GROUP_COLUMN_MAP,
  from: 'groups g',
  id: 'g.id',
  visible: `g.tenant_id = $1 and g.directory_id = ($2::text[])[1]`,
  visibleById: `g.tenant_id = $1 and coalesce(g.directory_id, '') = ($2::text[])[1]`,
  keys: GROUP_KEYS,
};

/** The most bytes of members in one answer: about 200 000 members. */
export const MAX_MEMBERS_BYTES = 32 * 1024 * 1024;

/**
 * Returns the columns that a list of groups reads.
 *
 * @param parts the attributes that are shown of each member; null: the groups are shown without members
 */
export function groupColumns(parts: readonly MemberPart[] | null): ListColumns {
  const facts = `g.id, g.doc, coalesce(g.doc_bytes, octet_length(g.doc::text)) as doc_bytes, g.version,
    ${millisecondsSql('g.created_at')} as created_at,
    ${millisecondsSql('g.updated_at')} as updated_at`;
  const shown = `c.id, case when c.fits then c.doc::text end as doc, c.version, c.created_at, c.updated_at`;
  if (parts === null) return { found: facts, bytes: 'a.doc_bytes', shown: `${shown}, null as members` };
  return {
    found: facts,
    bytes: 'a.doc_bytes',
    related: memberBytes('a.id'),
    shown: `${shown}, case when c.fits and not c.large then ${membersColumn('c.id', parts)} end as members`,
  };
}

/** Returns the refusal 400 `tooMany` for a group with more members than an answer can hold. */
export function tooManyMembers(id: string) {
  return tooMany(
    `The members of group ${id} are more than the ${MAX_MEMBERS_BYTES} bytes that an answer can hold. ` +
      'Use excludedAttributes=members, or search the users with the filter groups.value eq "' +
      `${id}".`,
  );
}
