import { GROUP_URN, USER_URN } from '../../../protocols/scim/urns.js';
import { isRecord, listedRecords, type Answer, type JsonRecord } from './answer.js';
import type { RecordType } from './resource.rules.js';

/** An attribute that `/Schemas` declares for users or groups. */
export interface DeclaredAttribute {
  /** The URN of its schema. */
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
