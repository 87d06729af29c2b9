import { etagOf } from '../../scim/resource/etag.js';
import { project, type Projection } from '../../scim/resource/project.js';
import type { Resource } from '../../scim/schema/resource-types.js';

/** What an answer needs of a stored person. */
export interface StoredUser {
  id: string;
  doc: string;
  version: number;
  created_at: number;
  updated_at: number;
  groups: string | null;
}

/**
 * A person as a SCIM resource, as JSON text. The document is stored as it is answered, so that the plain case only
 * puts what the server adds in front of it; a projection has to take it apart.
 */
export function userText(row: StoredUser, baseUrl: string, projection: Projection | null): string {
  if (projection !== null) return JSON.stringify(project(userResource(row, baseUrl), projection));
  const groups = row.groups === null ? '' : `"groups":${JSON.stringify(groupsOf(row.groups, baseUrl))},`;
  return `{"id":"${row.id}",${metaText('User', 'Users', row, baseUrl)},${groups}${row.doc.slice(1)}`;
}

/** The same as an object, for what has to look inside. */
export function userResource(row: StoredUser, baseUrl: string): Resource {
  const resource = JSON.parse(
    `{"id":"${row.id}",${metaText('User', 'Users', row, baseUrl)},${row.doc.slice(1)}`,
  ) as Resource;
  if (row.groups !== null) resource['groups'] = groupsOf(row.groups, baseUrl);
  return resource;
}

/** The `meta` member (RFC 7643 §3.1); `version` equals the ETag header. */
export function metaText(
  resourceType: string,
  endpoint: string,
  row: { id: string; version: number; created_at: number; updated_at: number },
  baseUrl: string,
): string {
  const created = new Date(row.created_at).toISOString();
  const modified = row.updated_at === row.created_at ? created : new Date(row.updated_at).toISOString();
  return (
    `"meta":{"resourceType":"${resourceType}","created":"${created}","lastModified":"${modified}",` +
    `"location":"${baseUrl}/${endpoint}/${row.id}","version":${JSON.stringify(etagOf(row.version))}}`
  );
}

function groupsOf(text: string, baseUrl: string): unknown[] {
  const groups = JSON.parse(text) as { value: string; display: string }[];
  return groups.map(({ value, display }) => ({ value, $ref: `${baseUrl}/Groups/${value}`, display, type: 'direct' }));
}
