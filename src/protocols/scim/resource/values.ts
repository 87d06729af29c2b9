import { booleanFromText, complexFromLoose, rolesFromText } from '../dialects/quirks.js';
import { isObject, type JsonObject } from '../dialects/normalise.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { invalidValue } from '../scim.errors.js';
import { isLongerThan } from '../../../base/characters.js';
import { isStorable, parseDateTime, userNameKey } from '../text.js';
import { countKeys, skipUnknown, type ReadContext } from './context.js';
import { settleList } from './lists.js';
import { isMemberList, memberFromLoose, settleMember } from './members.js';

/**
 * Reads the value of an attribute. Returns `undefined` for null, "", [] and empty objects: they mean unassigned (RFC
 * 7643 §2.5).
 *
 * @throws {ScimRequestError} invalidValue with the name of the attribute, for a value that the schema does not allow
 */
export function readValue(attribute: Attribute, value: unknown, context: ReadContext): unknown {
  if (attribute.multiValued && attribute.type !== 'complex') return readPlainList(attribute, value, context);
  if (attribute.multiValued) return readList(attribute, value, context, context.dialect.objectForList);
  if (attribute.type === 'complex') return readComplex(attribute, value, context);
  return readSimple(attribute, value, context, null);
}

/**
 * Reads a simple value.
 *
 * @param parent the complex attribute of which this is a part; for the error only
 */
export function readSimple(
  attribute: Attribute,
  value: unknown,
  context: ReadContext,
  parent: Attribute | null,
): string | boolean | number | undefined {
  if (value === null || value === '' || value === undefined) return undefined;
  switch (attribute.type) {
    case 'boolean': {
      const truth = context.dialect.booleansAsStrings ? booleanFromText(value) : value;
      if (typeof truth !== 'boolean') throw mustBe(attribute, parent, 'true or false');
      return truth;
    }
    case 'integer':
      if (!Number.isSafeInteger(value)) throw mustBe(attribute, parent, 'an integer');
      return value as number;
    case 'decimal':
      if (typeof value !== 'number') throw mustBe(attribute, parent, 'a number');
      return value;
    default:
      return readText(attribute, value, parent);
  }
}

/**
 * Reads the values of a multi-valued attribute whose values are no objects, each once. A value alone is a list of one. A
 * value as an object `{value}` is taken where the dialect takes loose values: Entra ID knows no other form of a list.
 *
 * @returns undefined for an empty list
 */
export function readPlainList(attribute: Attribute, value: unknown, context: ReadContext): unknown[] | undefined {
  const source = Array.isArray(value) ? (value as unknown[]) : [value];
  const list = source.map((item) => {
    const isLoose = context.dialect.looseComplexValues && isObject(item) && Object.hasOwn(item, 'value');
    return readSimple(attribute, isLoose ? item['value'] : item, context, null);
  });
  const distinct = [...new Set(list)].filter((item) => item !== undefined);
  return distinct.length === 0 ? undefined : distinct;
}

/** Reads an object of known sub-attributes; drops those that the client may not write. */
export function readComplex(attribute: Attribute, value: unknown, context: ReadContext): JsonObject | undefined {
  const source = objectFor(attribute, value, context);
  if (source === null) return undefined;
  const keys = Object.keys(source);
  countKeys(context, keys.length);
  const result: JsonObject = {};
  let empty = true;
  for (const key of keys) {
    const sub = lookUp(attribute.subByName, key);
    if (sub === undefined) {
      skipUnknown(key, source[key], context);
      continue;
    }
    if (sub.mutability === 'readOnly') continue;
    const part = readSimple(sub, source[key], context, attribute);
    if (part === undefined) continue;
    result[sub.name] = part;
    empty = false;
  }
  return empty ? undefined : result;
}

/** Returns the object that a value represents; null for unassigned. */
export function objectFor(attribute: Attribute, value: unknown, context: ReadContext): JsonObject | null {
  let source = value;
  // Only where `value` is the whole meaning: a name cannot be one text.
  if (!attribute.multiValued && context.dialect.looseComplexValues && attribute.subByName.has('value')) {
    source = complexFromLoose(value);
  }
  if (source === null || source === '' || source === undefined) return null;
  if (!isObject(source)) throw mustBe(attribute, null, 'an object');
  return source;
}

/**
 * Reads the values of a multi-valued attribute: each (type, value) once, `primary` once.
 *
 * @param objectTaken accept one object as a list of one
 */
export function readList(
  attribute: Attribute,
  value: unknown,
  context: ReadContext,
  objectTaken: boolean,
): JsonObject[] | undefined {
  let source = value;
  if (context.dialect.rolesAsText && (attribute.name === 'roles' || attribute.name === 'entitlements')) {
    source = rolesFromText(value);
  }
  if (source === null || source === '' || source === undefined) return undefined;
  if (objectTaken && isObject(source)) source = [source];
  if (!Array.isArray(source)) throw mustBe(attribute, null, 'an array');
  const list = isMemberList(attribute)
    ? readMembers(attribute, source, context)
    : readItems(attribute, source, context);
  return list.length === 0 ? undefined : settleList(attribute, list, context.dialect);
}

function readItems(attribute: Attribute, source: unknown[], context: ReadContext): JsonObject[] {
  const list: JsonObject[] = [];
  for (const item of source) {
    const read = readComplex(attribute, item, context);
    if (read !== undefined) list.push(read);
  }
  return list;
}

function readMembers(attribute: Attribute, source: unknown[], context: ReadContext): JsonObject[] {
  const counted = context.keys;
  const list: JsonObject[] = [];
  for (const item of source) {
    const loose = context.dialect.looseMembers ? memberFromLoose(item) : item;
    list.push(settleMember(readComplex(attribute, loose, context)));
    context.keys = counted;
  }
  return list;
}

function readText(attribute: Attribute, value: unknown, parent: Attribute | null): string {
  if (typeof value !== 'string') throw mustBe(attribute, parent, 'a string');
  if (isLongerThan(value, attribute.maxLength)) {
    throw invalidValue(`"${label(attribute, parent)}" has at most ${attribute.maxLength} characters.`);
  }
  if (!isStorable(value)) {
    throw invalidValue(`"${label(attribute, parent)}" must not hold U+0000 or half a surrogate pair.`);
  }
  if (attribute.required && (attribute.comparedAsUserName ? userNameKey(value) : value.trim()) === '') {
    throw invalidValue(`"${label(attribute, parent)}" must not be blank.`);
  }
  if (attribute.type === 'binary' && !isBase64(value)) throw mustBe(attribute, parent, 'base64');
  if (attribute.type === 'dateTime' && Number.isNaN(parseDateTime(value))) {
    throw mustBe(attribute, parent, 'a dateTime');
  }
  return value;
}

/** Returns whether a text is base64 in either alphabet; padding may be missing (RFC 7643 §2.3.6). */
function isBase64(text: string): boolean {
  let end = text.length;
  while (end > 0 && text.length - end < 2 && text.charCodeAt(end - 1) === 0x3d) end--;
  for (let i = 0; i < end; i++) {
    const unit = text.charCodeAt(i);
    const lower = unit | 0x20;
    const known =
      (lower >= 0x61 && lower <= 0x7a) ||
      (unit >= 0x30 && unit <= 0x39) ||
      unit === 0x2b || // +
      unit === 0x2f || // /
      unit === 0x2d || // -
      unit === 0x5f; // _
    if (!known) return false;
  }
  return end > 0;
}

function mustBe(attribute: Attribute, parent: Attribute | null, what: string) {
  return invalidValue(`"${label(attribute, parent)}" must be ${what}.`);
}

function label(attribute: Attribute, parent: Attribute | null): string {
  return parent === null ? attribute.name : `${parent.name}.${attribute.name}`;
}
