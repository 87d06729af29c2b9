import { isLongerThan } from '../../base/characters.js';
import { platformNames, tidyEmail } from '../../tenancy/identity/names.rules.js';
import { roleNames } from './role.rules.js';
import { foldCase, userNameKey } from '../../protocols/scim/text.js';
import type { AttributeMap } from '../directories/directory.js';
import { ENTERPRISE_URN, USER_URN } from '../../protocols/scim/urns.js';

/** A SCIM user resource as stored: only attributes of the schema, without nulls. */
export type UserDocument = Record<string, unknown>;

/** The facts of a user that writes need, taken from the SCIM resource once. */
export interface UserDraft {
  doc: UserDocument;
  userName: string;
  userNameKey: string;
  externalId: string | null;
  active: boolean;
  emails: { value: string; type: string }[];
  email: string | null;
  firstName: string;
  lastName: string;
  /** The key that the directory gave; null when it gave none, and the user name is the key. */
  key: string | null;
  roles: string[];
  costCenter: string | null;
  managerId: string | null;
}

interface EmailValue {
  value?: unknown;
  type?: unknown;
  primary?: unknown;
}

/** Returns the draft of a stored resource. */
export function draftOf(doc: UserDocument, map: AttributeMap = {}): UserDraft {
  const userName = doc['userName'] as string;
  const values = (doc['emails'] as EmailValue[] | undefined) ?? [];
  const email = map.email === undefined ? chosenEmail(values, userName) : emailAddress(attributeText(doc, map.email));
  const name = (doc['name'] as Record<string, string> | undefined) ?? {};
  const names = platformNames(
    {
      givenName: map.first_name === undefined ? name['givenName'] : attributeText(doc, map.first_name),
      familyName: map.last_name === undefined ? name['familyName'] : attributeText(doc, map.last_name),
      formatted: name['formatted'],
      displayName: doc['displayName'] as string | undefined,
    },
    email,
    userName,
  );
  const externalId = (doc['externalId'] as string | undefined) ?? null;
  const enterprise = doc[ENTERPRISE_URN] as Record<string, unknown> | undefined;
  return {
    doc,
    userName,
    userNameKey: userNameKey(userName),
    externalId,
    active: doc['active'] !== false,
    emails: emailKeys(values),
    email,
    firstName: names.first_name,
    lastName: names.last_name,
    key: map.external_id === undefined ? externalId : (attributeText(doc, map.external_id) ?? null),
    roles: roleNames(doc['roles'] as { value?: unknown; primary?: unknown }[] | undefined),
    costCenter: (enterprise?.['costCenter'] as string | undefined) ?? null,
    managerId: (enterprise?.['manager'] as { value?: string } | undefined)?.value ?? null,
  };
}

/** Returns the normal form of an e-mail address, for comparison without regard to case. */
export function emailKey(email: string): string {
  return foldCase(tidyEmail(email));
}

/** Returns the normal form of an e-mail address that can be missing. */
export function emailKeyOf(email: string | null): string | null {
  return email === null ? null : emailKey(email);
}

/** Returns the SCIM resource of a user that the users API creates. */
export function documentOf(fields: {
  userName: string;
  email: string | null;
  first_name: string;
  last_name: string;
  external_id: string | null;
  active: boolean;
}): UserDocument {
  const doc: UserDocument = { schemas: [USER_URN], userName: fields.userName };
  if (fields.external_id !== null) doc['externalId'] = fields.external_id;
  const name: Record<string, string> = {};
  if (fields.first_name !== '') name['givenName'] = fields.first_name;
  if (fields.last_name !== '') name['familyName'] = fields.last_name;
  if (fields.first_name !== '' || fields.last_name !== '') doc['name'] = name;
  if (fields.email !== null) doc['emails'] = [{ value: fields.email, type: 'work', primary: true }];
  doc['active'] = fields.active;
  return doc;
}

/** Returns a resource with fields of the users API; other attributes stay. */
export function withFields(
  doc: UserDocument,
  fields: {
    email?: string;
    first_name?: string;
    last_name?: string;
    external_id?: string | null;
    status?: 'active' | 'inactive';
  },
): UserDocument {
  const next: UserDocument = { ...doc };
  if (fields.email !== undefined) {
    const values = (doc['emails'] as EmailValue[] | undefined) ?? [];
    const old = chosenEmail(values, doc['userName'] as string);
    const place = values.findIndex((v) => v.value === old);
    const others = values.filter((_, i) => i !== place);
    next['emails'] = [{ ...(values[place] ?? { type: 'work', primary: true }), value: fields.email }, ...others];
    // A user without a name of its own has the address as userName.
    if (doc['userName'] === old) next['userName'] = fields.email;
  }
  if (fields.first_name !== undefined || fields.last_name !== undefined) {
    const name = { ...(doc['name'] as Record<string, string> | undefined) };
    if (fields.first_name !== undefined) name['givenName'] = fields.first_name;
    if (fields.last_name !== undefined) name['familyName'] = fields.last_name;
    delete name['formatted'];
    if (name['familyName'] === '') delete name['familyName'];
    next['name'] = name;
  }
  if (fields.external_id === null) delete next['externalId'];
  else if (fields.external_id !== undefined) next['externalId'] = fields.external_id;
  if (fields.status !== undefined) next['active'] = fields.status === 'active';
  return next;
}

/** Returns the primary address, else the `work` one, else the first, else a `userName` that is an address. */
function chosenEmail(values: EmailValue[], userName: string): string | null {
  let work: string | null = null;
  let first: string | null = null;
  for (const { value, type, primary } of values) {
    const address = emailAddress(value);
    if (address === null) continue;
    if (primary === true) return address;
    if (work === null && typeof type === 'string' && type.toLowerCase() === 'work') work = address;
    first ??= address;
  }
  return work ?? first ?? emailAddress(userName);
}

/** Returns the trimmed address if the platform accepts the text, else null. */
export function emailAddress(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = tidyEmail(value);
  if (text.length < 3 || isLongerThan(text, 320)) return null;
  const at = text.lastIndexOf('@');
  return at > 0 && at < text.length - 1 && !/\s/.test(text) ? text : null;
}

function emailKeys(values: EmailValue[]): { value: string; type: string }[] {
  const keys: { value: string; type: string }[] = [];
  for (const { value, type } of values) {
    if (typeof value !== 'string') continue;
    keys.push({ value: foldCase(value), type: typeof type === 'string' ? foldCase(type) : '' });
  }
  return keys;
}

/**
 * Returns the text of an attribute: core or enterprise, `name.givenName`, or a full URN; of a list the primary value.
 */
function attributeText(doc: UserDocument, path: string): string | undefined {
  const urn = `${ENTERPRISE_URN}:`;
  const inExtension = path.toLowerCase().startsWith(urn.toLowerCase());
  const [head, tail] = (inExtension ? path.slice(urn.length) : path).split('.') as [string, string | undefined];
  const extension = doc[ENTERPRISE_URN] as Record<string, unknown> | undefined;
  let value = inExtension ? undefined : member(doc, head);
  if (value === undefined && extension) value = member(extension, head);
  if (Array.isArray(value)) {
    const list = value as Record<string, unknown>[];
    value = (list.find((v) => v['primary'] === true) ?? list[0])?.[tail ?? 'value'];
  } else if (typeof value === 'object' && value !== null) {
    value = member(value as Record<string, unknown>, tail ?? 'value');
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function member(object: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name];
  const lower = name.toLowerCase();
  const key = Object.keys(object).find((k) => k.toLowerCase() === lower);
  return key === undefined ? undefined : object[key];
}
