import { hash } from 'node:crypto';
import { etagOf } from '../../../protocols/scim/resource/etag.js';
import { project, type Projection } from '../../../protocols/scim/resource/project.js';
import { findSchema, type Resource, type ResourceTypeDef } from '../../../protocols/scim/schema/resource-types.js';
import { CUSTOM_URN, ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import type { CurrentDirectory } from '../scim-request.js';
import { MANAGER_NAME, MAX_GROUPS_SHOWN, partsOf, type Relations } from '../../users/user-relations.js';

/** Hexadecimal digits of the hash of a user's groups in an entity tag. */
const TAG_DIGITS = 12;

export interface StoredUser extends Relations {
  id: string;
  doc: string;
  revision: number;
  created_at: number;
  modified_at: number | null;
}

export interface View {
  baseUrl: string;
  directoryId: string;
  userType: ResourceTypeDef;
  /** The groups of users by the text of their rows: most users of a page share their groups with others. */
  known: Map<string, ShownGroups>;
}

export function viewOf(directory: CurrentDirectory): View {
  return { baseUrl: directory.scimBase, directoryId: directory.id, userType: directory.userType, known: new Map() };
}

/**
 * Returns a user as a SCIM resource in JSON text. The document is stored in the form of the answer, so usually only the
 * attributes of the server are put before it. A projection has to parse the document.
 */
export function userText(row: StoredUser, view: View, projection: Projection | null, tag = userTag(row, view)): string {
  const groups = shownGroups(row, view).json;
  const doc = shownDocument(row, view);
  const shown = groups === '' ? '' : `"groups":${groups},`;
  const text = `{"id":"${row.id}",${userMeta(row, view, tag)},${shown}${doc.slice(1)}`;
  return projection === null ? text : JSON.stringify(project(JSON.parse(text) as Resource, projection));
}

/** Returns the document as JSON text. Most documents need no change and are not parsed. */
function shownDocument(row: StoredUser, view: View): string {
  const hasCustom = row.doc.includes(CUSTOM_URN);
  if (row.manager === null && !hasCustom) return row.doc;
  const doc = JSON.parse(row.doc) as Resource;
  if (row.manager !== null) showManager(doc, row, view);
  if (hasCustom) leaveOutUndeclared(doc, view.userType);
  return JSON.stringify(doc);
}

/** Removes custom attributes that only another directory declares, or that this one declared before. */
function leaveOutUndeclared(doc: Resource, type: ResourceTypeDef): void {
  const part = doc[CUSTOM_URN] as Resource | undefined;
  if (part === undefined) return;
  const declared = findSchema(type, CUSTOM_URN)?.byName;
  for (const name of Object.keys(part)) {
    if (declared?.has(name) !== true) delete part[name];
  }
  if (Object.keys(part).length === 0) leaveOut(doc, CUSTOM_URN);
}

function leaveOut(doc: Resource, extension: string): void {
  delete doc[extension];
  doc['schemas'] = (doc['schemas'] as string[]).filter((urn) => urn !== extension);
}

/**
 * Adds name and address of the manager (RFC 7643 §4.3), and omits a deleted manager. A value that never was an id of
 * this service stays unchanged.
 */
function showManager(doc: Resource, row: StoredUser, view: View): void {
  const part = doc[ENTERPRISE_URN] as Resource | undefined;
  const written = part?.['manager'] as { value?: string } | undefined;
  if (part === undefined || written?.value === undefined) return;
  const known = shownManager(row, view);
  if (known !== null) {
    part['manager'] = { ...written, $ref: `${view.baseUrl}/Users/${written.value}`, displayName: known.display };
  } else if (managerIn(row)?.gone === true) {
    delete part['manager'];
    if (Object.keys(part).length === 0) leaveOut(doc, ENTERPRISE_URN);
  }
}

/**
 * Returns the entity tag of a user for a directory. It contains a hash of the groups and of the manager's name: the
 * rename of a group of 100 000 members would otherwise write 100 000 rows.
 */
export function userTag(row: Pick<StoredUser, 'revision'> & Relations, view: View): string {
  const groups = shownGroups(row, view);
  const manager = shownManager(row, view);
  if (groups.names === '' && manager === null) return etagOf(row.revision);
  if (manager === null) return etagOf(row.revision, (groups.digest ??= digestOf(groups.names)));
  return etagOf(row.revision, digestOf(`${groups.names}\n\n${manager.display}`));
}

function digestOf(text: string): string {
  return hash('sha256', text, 'hex').slice(0, TAG_DIGITS);
}

/** The SQL form of {@link userTag}. `$1` is the tenant, `$2` begins with the directory, `u` is the user. */
export const USER_TAG_SQL = `('W/"' || (u.version - u.quiet_writes) || coalesce((
    select '-' || left(encode(sha256(convert_to(nullif(concat(g.names, b.name), ''), 'UTF8')), 'hex'), ${TAG_DIGITS})
    from (select string_agg(g.id || ' ' || g.display_name, chr(10) order by g.id) as names
      from (select m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id
        order by m.group_id limit ${MAX_GROUPS_SHOWN}) m
      join groups g on g.tenant_id = $1 and g.id = m.group_id and g.directory_id = ($2::text[])[1]) g
    left join (select chr(10) || chr(10) || ${MANAGER_NAME} as name from users b where b.tenant_id = $1
      and b.id = u.manager_id and b.gone_at is null and coalesce(b.directory_id, ($2::text[])[1]) = ($2::text[])[1]) b on true), '') || '"')`;

function userMeta({ id, created_at, modified_at }: StoredUser, view: View, tag: string): string {
  return metaText('User', 'Users', { id, tag, created_at, modified_at: modified_at ?? created_at }, view.baseUrl);
}

/** Returns the `meta` attribute as JSON text (RFC 7643 §3.1); `version` equals the ETag header. */
export function metaText(
  resourceType: string,
  endpoint: string,
  row: { id: string; tag: string; created_at: number; modified_at: number },
  baseUrl: string,
): string {
  const created = isoTime(row.created_at);
  const modified = row.modified_at === row.created_at ? created : isoTime(row.modified_at);
  // The quotes of an entity tag are at its ends: a search for them costs as much as the rest.
  const version = `W/\\"${row.tag.slice(3, -1)}\\"`;
  return (
    `"meta":{"resourceType":"${resourceType}","created":"${created}","lastModified":"${modified}",` +
    `"location":"${baseUrl}/${endpoint}/${row.id}","version":"${version}"}`
  );
}

interface ShownGroups {
  /** The attribute as JSON text; '' without groups. */
  readonly json: string;
  readonly names: string;
  digest?: string;
}

const NO_GROUPS: ShownGroups = { json: '', names: '' };

/** Returns the user's groups in the directory. An unmanaged user can be in groups of several directories. */
function shownGroups({ groups }: Pick<StoredUser, 'groups'>, view: View): ShownGroups {
  if (groups === null || groups === '') return NO_GROUPS;
  let shown = view.known.get(groups);
  if (shown === undefined) {
    shown = readGroups(groups, view);
    view.known.set(groups, shown);
  }
  return shown;
}

function readGroups(lines: string, { baseUrl, directoryId }: View): ShownGroups {
  const values: string[] = [];
  const names: string[] = [];
  for (const line of lines.split('\n')) {
    const { id, directory, name } = partsOf(line);
    if (directory !== directoryId) continue;
    values.push(`{"value":"${id}","$ref":"${baseUrl}/Groups/${id}","display":${name},"type":"direct"}`);
    names.push(`${id} ${JSON.parse(name) as string}`);
  }
  return values.length === 0 ? NO_GROUPS : { json: `[${values.join(',')}]`, names: names.join('\n') };
}

interface KnownManager {
  display: string;
  directory: string | null;
  gone?: boolean;
}

function managerIn({ manager }: Pick<Relations, 'manager'>): KnownManager | null {
  return manager === null ? null : (JSON.parse(manager) as KnownManager);
}

function shownManager(
  row: Pick<Relations, 'manager'>,
  { directoryId }: Pick<View, 'directoryId'>,
): KnownManager | null {
  const known = managerIn(row);
  if (known === null || known.gone === true) return null;
  return known.directory === null || known.directory === directoryId ? known : null;
}

let second = NaN;
let secondText = '';

/** Returns milliseconds as RFC 3339 text. Most rows of a page were written in the same few seconds. */
function isoTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000);
  if (whole !== second) {
    second = whole;
    secondText = new Date(whole * 1000).toISOString().slice(0, 20);
  }
  return `${secondText}${String(Math.floor(milliseconds) - whole * 1000).padStart(3, '0')}Z`;
}
