import { etagOf } from '../../../protocols/scim/resource/etag.js';
import { project, projectionNeeds, type Projection } from '../../../protocols/scim/resource/project.js';
import type { Resource } from '../../../protocols/scim/schema/resource-types.js';
import { memberPartsOf } from '../../users/groups/group-members.sql.js';
import type { GroupRow } from '../../users/groups/group.row.js';
import { metaText } from '../users/user-resource.js';
import { areMany, memberPieces, memberText } from './member-text.js';

/** Returns a group as a SCIM resource in JSON text. */
export function groupText(row: GroupRow, baseUrl: string, projection: Projection | null): string {
  const own = ownText(row, baseUrl, projection);
  if (row.members === null || !projectionNeeds(projection, 'members')) return own;
  const members = memberText(row.members, baseUrl, memberPartsOf(projection));
  return members === '' ? own : `{"members":[${members}],${own.slice(1)}`;
}

/** Returns a group as {@link groupText} does. A large one is made in pieces, so that other requests are answered. */
export async function groupBody(
  row: GroupRow,
  baseUrl: string,
  projection: Projection | null,
): Promise<string | Buffer> {
  if (row.members === null || !areMany(row.members) || !projectionNeeds(projection, 'members'))
    return groupText(row, baseUrl, projection);
  const pieces = await memberPieces(row.members, baseUrl, memberPartsOf(projection));
  const own = ownText(row, baseUrl, projection).slice(1);
  if (pieces.every((piece) => piece.length === 0)) return `{${own}`;
  return Buffer.concat([Buffer.from('{"members":['), ...pieces, Buffer.from(`],${own}`)]);
}

/** The resource without its members. A projection never leaves out the id, so it has a first attribute. */
function ownText(row: GroupRow, baseUrl: string, projection: Projection | null): string {
  const meta = { id: row.id, tag: etagOf(row.version), created_at: row.created_at, modified_at: row.updated_at };
  const text = `{"id":"${row.id}",${metaText('Group', 'Groups', meta, baseUrl)},${row.doc.slice(1)}`;
  return projection === null ? text : JSON.stringify(project(JSON.parse(text) as Resource, projection));
}
