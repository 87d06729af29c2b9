import { GROUP_URN, USER_URN } from '../../../protocols/scim/urns.js';
import {
  isRecord,
  valueAt,
  type JsonRecord,
  listedRecords,
  type Answer,
  finding,
  inJson,
  type DoctorFinding,
} from './finding.js';

export type RecordType = 'User' | 'Group';

const SCHEMA_OF: Record<RecordType, string> = { User: USER_URN, Group: GROUP_URN };
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;
const MULTI_VALUED = [
  'emails',
  'phoneNumbers',
  'addresses',
  'ims',
  'photos',
  'roles',
  'entitlements',
  'members',
  'groups',
];

/**
 * Checks the form of a user or group (RFC 7643 §3): what holds for each answer, whichever request it is for.
 *
 * @param request the request, for the message
 * @param isPartial the request named the attributes that it wants
 */
export function resourceFindings(
  resource: JsonRecord,
  type: RecordType,
  request: string,
  isPartial: boolean,
): DoctorFinding[] {
  const wrong = (field: string, expected: string) =>
    finding(
      'resource_form',
      field,
      `The answer to ${request} has ${inJson(valueOf(resource, field))} as ${field}; expected: ${expected}.`,
    );
  const found: DoctorFinding[] = [];
  if (typeof resource['id'] !== 'string' || resource['id'] === '') found.push(wrong('id', 'a text'));
  if ('password' in resource)
    found.push(finding('secret_shown', 'password', `The answer to ${request} shows the password.`));
  if (isPartial) return found;
  found.push(...schemasOf(resource, type, wrong), ...metaOf(resource, type, wrong), ...valuesOf(resource, wrong));
  return found;
}

type Wrong = (field: string, expected: string) => DoctorFinding;

function schemasOf(resource: JsonRecord, type: RecordType, wrong: Wrong): DoctorFinding[] {
  const { schemas } = resource;
  if (!Array.isArray(schemas) || !schemas.includes(SCHEMA_OF[type]))
    return [wrong('schemas', `a list with ${SCHEMA_OF[type]}`)];
  const unnamed = Object.keys(resource).find((name) => name.startsWith('urn:') && !schemas.includes(name));
  return unnamed === undefined ? [] : [wrong('schemas', `also ${unnamed}, which the record has`)];
}

function metaOf(resource: JsonRecord, type: RecordType, wrong: Wrong): DoctorFinding[] {
  const { meta } = resource;
  if (!isRecord(meta)) return [wrong('meta', 'an object')];
  const found: DoctorFinding[] = [];
  if (meta['resourceType'] !== type) found.push(wrong('meta.resourceType', type));
  for (const time of ['created', 'lastModified']) {
    const value = meta[time];
    if (typeof value !== 'string' || !DATE_TIME.test(value))
      found.push(wrong(`meta.${time}`, 'a time such as 2026-01-31T12:00:00Z'));
  }
  const end = `/${type}s/${String(resource['id'])}`;
  if (typeof meta['location'] !== 'string' || !isAddress(meta['location'], end)) {
    found.push(wrong('meta.location', `an address that ends in ${end}`));
  }
  return found;
}

/** Booleans are booleans, and one value of an attribute at most is the primary one (RFC 7643 §2.4). */
function valuesOf(resource: JsonRecord, wrong: Wrong): DoctorFinding[] {
  const found: DoctorFinding[] = [];
  if ('active' in resource && typeof resource['active'] !== 'boolean') found.push(wrong('active', 'true or false'));
  for (const name of MULTI_VALUED.filter((one) => one in resource)) {
    const values = resource[name];
    if (!Array.isArray(values)) {
      found.push(wrong(name, 'a list'));
      continue;
    }
    const primary = values.filter(isRecord).flatMap((value) => ('primary' in value ? [value['primary']] : []));
    if (primary.some((one) => typeof one !== 'boolean'))
      found.push(wrong(`${name}.primary`, 'primary as true or false'));
    if (primary.filter((one) => one === true).length > 1)
      found.push(wrong(`${name}.primary`, 'one primary value at most'));
  }
  return found;
}

/** Of values in a list the whole list is shown. */
function valueOf(resource: JsonRecord, field: string): unknown {
  const [outer = ''] = field.split('.');
  return Array.isArray(resource[outer]) ? resource[outer] : valueAt(resource, field);
}

function isAddress(text: string, end: string): boolean {
  if (!URL.canParse(text)) return false;
  const { pathname } = new URL(text);
  try {
    return pathname.endsWith(end) || decodeURIComponent(pathname).endsWith(end);
  } catch (error) {
    // A `%` that is no percent sign.
    if (error instanceof URIError) return false;
    throw error;
  }
}

/** An attribute that `/Schemas` declares for users or groups. */
export interface DeclaredAttribute {
  schema: string;
  /** Names of the attribute and of its sub-attribute, such as `['name', 'givenName']`. */
  names: readonly string[];
  type: string;
  /** The attribute or its parent has several values. */
  isMultiValued: boolean;
  isRequired: boolean;
  mutability: string;
  returned: string;
  canonicalValues: readonly string[];
}

/** Attributes that every record has and no schema declares (RFC 7643 §3.1). */
const COMMON = ['schemas', 'id', 'externalid', 'meta'];

/** Returns the attributes of a kind of record: those of its own schema, and of the extensions of that kind. */
export function declaredIn(schemas: Answer, type: RecordType): DeclaredAttribute[] {
  return listedRecords(schemas)
    .filter(
      ({ id }) =>
        typeof id === 'string' && (id === coreOf(type) || (/:extension:/.test(id) && id.endsWith(`:${type}`))),
    )
    .flatMap((schema) => attributesOf(schema['attributes']).flatMap((one) => withParts(String(schema['id']), one)));
}

/**
 * Returns the paths of the attributes that a record has and `/Schemas` does not declare, without regard to case.
 *
 * @param record a record of a request or of an answer
 */
export function undeclared(record: JsonRecord, declared: readonly DeclaredAttribute[], type: RecordType): string[] {
  const known = new Set(declared.map(({ schema, names }) => `${schema}:${names.join('.')}`.toLowerCase()));
  const own = pathsOf(record).filter(([first]) => !first!.startsWith('urn:') && !COMMON.includes(first!.toLowerCase()));
  const extended = Object.entries(record)
    .filter(([name, value]) => name.startsWith('urn:') && isRecord(value))
    .flatMap(([urn, value]) => pathsOf(value as JsonRecord).map((names) => `${urn}:${names.join('.')}`));
  const paths = [...own.map((names) => `${coreOf(type)}:${names.join('.')}`), ...extended];
  return [...new Set(paths)]
    .filter((path) => !known.has(path.toLowerCase()))
    .map((path) => (path.startsWith(`${coreOf(type)}:`) ? path.slice(coreOf(type).length + 1) : path));
}

function coreOf(type: RecordType): string {
  return type === 'User' ? USER_URN : GROUP_URN;
}

function attributesOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function withParts(schema: string, attribute: JsonRecord): DeclaredAttribute[] {
  const own = declared(schema, [String(attribute['name'])], attribute, false);
  const parts = attributesOf(attribute['subAttributes']).map((part) => {
    const names = [String(attribute['name']), String(part['name'])];
    return {
      ...declared(schema, names, part, own.isMultiValued),
      ...(own.mutability === 'readOnly' ? { mutability: 'readOnly' } : {}),
    };
  });
  return [own, ...parts];
}

function declared(
  schema: string,
  names: readonly string[],
  attribute: JsonRecord,
  isBelowList: boolean,
): DeclaredAttribute {
  const values = attribute['canonicalValues'];
  return {
    schema,
    names,
    type: textOf(attribute['type'], 'string'),
    isMultiValued: isBelowList || attribute['multiValued'] === true,
    isRequired: attribute['required'] === true,
    mutability: textOf(attribute['mutability'], 'readWrite'),
    returned: textOf(attribute['returned'], 'default'),
    canonicalValues: Array.isArray(values) ? values.map(String) : [],
  };
}

/** The paths of the values of a record, two names deep: values below a list have the path of their attribute. */
function pathsOf(record: JsonRecord): string[][] {
  return Object.entries(record).flatMap(([name, value]) => {
    const elements = Array.isArray(value) ? value : [value];
    const parts = elements.filter(isRecord).flatMap((element) => Object.keys(element).map((part) => [name, part]));
    return [[name], ...(name.startsWith('urn:') ? [] : parts)];
  });
}

function textOf(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
