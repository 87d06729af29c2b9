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

/** Who looks: where the references point, and whose groups are shown. */
export interface View {
  baseUrl: string;
  directoryId: string;
}

/**
 * A person as a SCIM resource, as JSON text. The document is stored as it is answered, so that the plain case only
 * puts what the server adds in front of it; a projection has to take it apart.
 */
export function userText(row: StoredUser, view: View, projection: Projection | null): string {
  if (projection !== null) return JSON.stringify(project(userResource(row, view), projection));
  const found = groupsOf(row, view);
  const groups = found === null ? '' : `"groups":${JSON.stringify(found)},`;
  return `{"id":"${row.id}",${metaText('User', 'Users', row, view.baseUrl)},${groups}${row.doc.slice(1)}`;
}

/** The same as an object, for what has to look inside. */
function userResource(row: StoredUser, view: View): Resource {
  const resource = JSON.parse(
    `{"id":"${row.id}",${metaText('User', 'Users', row, view.baseUrl)},${row.doc.slice(1)}`,
  ) as Resource;
  const groups = groupsOf(row, view);
  if (groups !== null) resource['groups'] = groups;
  return resource;
}

/** The `meta` member (RFC 7643 §3.1); `version` equals the ETag header. */
export function metaText(
  resourceType: string,
  endpoint: string,
  row: { id: string; version: number; created_at: number; updated_at: number },
  baseUrl: string,
): string {
  const created = isoTime(row.created_at);
  const modified = row.updated_at === row.created_at ? created : isoTime(row.updated_at);
  return (
    `"meta":{"resourceType":"${resourceType}","created":"${created}","lastModified":"${modified}",` +
    `"location":"${baseUrl}/${endpoint}/${row.id}","version":"${etagOf(row.version).replaceAll('"', '\\"')}"}`
  );
}

/** Somebody whom no directory manages may be in the groups of several; each is shown its own. */
function groupsOf(row: StoredUser, { baseUrl, directoryId }: View): unknown[] | null {
  if (row.groups === null) return null;
  const all = JSON.parse(row.groups) as { value: string; display: string; directory: string }[];
  const groups = all.filter(({ directory }) => directory === directoryId);
  if (groups.length === 0) return null;
  return groups.map(({ value, display }) => ({ value, $ref: `${baseUrl}/Groups/${value}`, display, type: 'direct' }));
}

let second = NaN;
let secondText = '';

/** Milliseconds as RFC 3339 text. The rows of a page were mostly written in the same few seconds. */
function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  if (whole !== second) {
    second = whole;
    secondText = new Date(whole * 1000).toISOString().slice(0, 20);
  }
  return `${secondText}${String(Math.floor(milliseconds) - whole * 1000).padStart(3, '0')}Z`;
}
