import type { Dialect } from '../dialects/dialects.js';
import { isObject, type JsonObject } from '../dialects/normalise.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import {
  findSchema,
  schemasInUse,
  type Resource,
  type ResourceTypeDef,
  type SchemaDef,
} from '../schema/resource-types.js';
import { invalidSyntax, invalidValue } from '../scim.errors.js';
import { countKeys, inspect, readContext, skipUnknown, uncounted, type ReadContext } from './context.js';
import { readSimple, readValue } from './values.js';

/**
 * Reads the body of a POST or PUT as a resource (RFC 7644 §3.3, §3.5.1): names become canonical, values are checked,
 * unknown attributes go. Left out: readOnly attributes, the password, unassigned attributes. `schemas` is computed.
 *
 * @returns a resource without `id` and `meta`, and without `active` where the body leaves it out or clears it; members
 * of a group as `{value, type?, display?, $ref?}`
 * @throws {ScimRequestError} invalidSyntax for a body that is no object, a repeated name, or unknown names (by
 * dialect); invalidValue for a value that the schema does not allow, or a missing required attribute
 */
export function readResource(type: ResourceTypeDef, body: unknown, dialect: Dialect): Resource {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
  const context = readContext(dialect);
  const keys = Object.keys(body);
  countKeys(context, keys.length);
  const resource: Resource = { schemas: null };
  let listed: unknown;
  for (const key of keys) {
    const value = body[key];
    const attribute = lookUp(type.schema.byName, key);
    if (attribute === undefined) readExtension(type, key, value, resource, context);
    else if (attribute.name === 'schemas') listed = value;
    else readInto(resource, attribute, value, context);
  }
  checkSchemas(type, listed, context);
  resource['schemas'] = schemasInUse(type, resource);
  requireAttributes(type, resource);
  return resource;
}

/**
 * Checks that required attributes are present.
 *
 * @throws {ScimRequestError} invalidValue with the name of the missing attribute
 */
function requireAttributes(type: ResourceTypeDef, resource: Resource): void {
  for (const attribute of type.required) {
    if (resource[attribute.name] === undefined) throw invalidValue(`"${attribute.name}" is required.`);
  }
}

function readInto(target: JsonObject, attribute: Attribute, value: unknown, context: ReadContext): void {
  if (attribute.mutability === 'readOnly') {
    // Okta sends back all groups of a user, which can be many.
    inspect(value, uncounted());
    return;
  }
  if (attribute.returned === 'never') {
    // The password has to be a text; it is dropped here.
    readSimple(attribute, value, context, null);
    return;
  }
  const read = readValue(attribute, value, context);
  if (read === undefined) return;
  if (target[attribute.name] !== undefined) {
    throw invalidSyntax(`"${attribute.name}" is given twice.`);
  }
  target[attribute.name] = read;
}

function readExtension(
  type: ResourceTypeDef,
  key: string,
  value: unknown,
  resource: Resource,
  context: ReadContext,
): void {
  const schema = findSchema(type, key);
  if (schema === undefined || schema === type.schema) {
    skipUnknown(key, value, context);
    return;
  }
  const part = readExtensionObject(schema, value, context);
  if (part !== undefined) resource[schema.urn] = part;
}

function readExtensionObject(schema: SchemaDef, value: unknown, context: ReadContext): JsonObject | undefined {
  if (value === null || value === '') return undefined;
  if (!isObject(value)) throw invalidValue(`"${schema.urn}" must be an object.`);
  const keys = Object.keys(value);
  countKeys(context, keys.length);
  const part: JsonObject = {};
  for (const key of keys) {
    const attribute = lookUp(schema.byName, key);
    if (attribute === undefined) skipUnknown(key, value[key], context);
    else readInto(part, attribute, value[key], context);
  }
  return Object.keys(part).length === 0 ? undefined : part;
}

/** Checks `schemas` (RFC 7643 §3): not empty, no repeats, the base schema, and only schemas of the resource type. */
function checkSchemas(type: ResourceTypeDef, listed: unknown, { dialect }: ReadContext): void {
  if (listed === undefined || listed === null) {
    if (dialect.schemasOptional) return;
    throw invalidSyntax('"schemas" is required.');
  }
  if (dialect.foreignSchemasSkipped) return;
  if (!Array.isArray(listed)) throw invalidSyntax('"schemas" must be an array.');
  const found = new Set<SchemaDef>();
  for (const urn of listed) {
    const schema = typeof urn === 'string' ? findSchema(type, urn) : undefined;
    if (schema === undefined) throw invalidSyntax(`"schemas" names a schema that a ${type.name} does not have.`);
    if (found.has(schema)) throw invalidSyntax(`"schemas" names ${schema.urn} twice.`);
    found.add(schema);
  }
  if (!found.has(type.schema)) throw invalidSyntax(`"schemas" must name ${type.schema.urn}.`);
}
