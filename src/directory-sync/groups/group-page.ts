import { tooMany } from '../../scim/scim.errors.js';
import type { ListColumns } from '../page-sql.js';
import { memberBytes, membersColumn, type MemberPart } from '../../users/groups/group-members.sql.js';

/** The most bytes of members in one answer: about 200 000 members. */
export const MAX_MEMBERS_BYTES = 32 * 1024 * 1024;

/**
 * Returns the columns that a list of groups reads.
 *
 * @param base the SCIM base address as part of an SQL literal; null: the groups are shown without members
 * @param parts the attributes that are shown of each member
 */
export function groupColumns(base: string | null, parts: readonly MemberPart[]): ListColumns {
  const facts = `g.id, g.doc, coalesce(g.doc_bytes, octet_length(g.doc::text)) as doc_bytes, g.version,
    extract(epoch from g.created_at)::float8 * 1000 as created_at,
    extract(epoch from g.updated_at)::float8 * 1000 as updated_at`;
  const shown = `c.id, case when c.fits then c.doc::text end as doc, c.version, c.created_at, c.updated_at`;
  if (base === null) return { found: facts, bytes: 'a.doc_bytes', shown: `${shown}, null as members` };
  return {
    found: facts,
    bytes: 'a.doc_bytes',
    related: memberBytes('a.id'),
    shown: `${shown}, case when c.fits and not c.large then ${membersColumn(`'${base}'`, 'c.id', parts)} end as members`,
  };
}

/** Returns the refusal 400 `tooMany` for a group with more members than an answer can hold. */
export function tooManyMembers(id: string) {
  return tooMany(
    `The members of group ${id} are more than the ${MAX_MEMBERS_BYTES} bytes that an answer can hold. ` +
      'Ask with excludedAttributes=members, or for the users by the filter groups.value eq "' +
      `${id}".`,
  );
}
