import { etagOf } from '../../scim/resource/etag.js';
import { project, type Projection } from '../../scim/resource/project.js';
import type { Resource } from '../../scim/schema/resource-types.js';
import { metaText } from '../users/user-resource.js';
import type { GroupRow } from '../../users/groups/groups.repository.js';

/** Returns a group as a SCIM resource in JSON text. The database gives the members as JSON text. */
export function groupText(row: GroupRow, baseUrl: string, projection: Projection | null): string {
  const members = row.members === null ? '' : `"members":${row.members},`;
  const meta = { id: row.id, tag: etagOf(row.version), created_at: row.created_at, modified_at: row.updated_at };
  const text = `{"id":"${row.id}",${metaText('Group', 'Groups', meta, baseUrl)},${members}${row.doc.slice(1)}`;
  return projection === null ? text : JSON.stringify(project(JSON.parse(text) as Resource, projection));
}
