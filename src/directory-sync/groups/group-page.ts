import { tooMany } from '../../scim/scim.errors.js';
import type { ListColumns } from '../page-sql.js';
import { memberBytes, membersColumn, type MemberPart } from '../../users/groups/group-members.sql.js';

/** The members that one answer can hold, in bytes: about 200 000 of them. */
export const MAX_MEMBERS_BYTES = 32 * 1024 * 1024;

/** What a list reads of each group; `base` is the SCIM base address as a part of a literal, null: without members; `parts` are those of each member. */
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

/** 400 `tooMany`: the members of a group are more than an answer can hold. */
export function tooManyMembers(id: string) {
  return tooMany(
    `The members of group ${id} are more than the ${MAX_MEMBERS_BYTES} bytes that an answer can hold. ` +
      'Ask with excludedAttributes=members, or for the users by the filter groups.value eq "' +
      `${id}".`,
  );
}
