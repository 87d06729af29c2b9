import type { Dialect } from '../dialects/dialects.js';
import type { BoundValueFilter } from '../filter/bound.js';
import { parsePatchPath } from '../filter/parse.js';
import { printPath } from '../filter/print.js';
import { resolveValueFilter } from '../filter/resolve.js';
import { isForbiddenName } from '../resource/context.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { findAttribute, findSchema, type ResourceTypeDef, type SchemaDef } from '../schema/resource-types.js';
import { invalidPath, mutability } from '../scim.errors.js';
import type { PatchPath } from '../filter/ast.js';

/** An attribute, or a part of one, that a PATCH path names. */
export interface AttributeTarget {
  readonly kind: 'attribute';
  readonly attribute: Attribute;
  /** Selects values of a multi-valued attribute; null: all of them. */
  readonly filter: BoundValueFilter | null;
  readonly sub: Attribute | null;
}

/** A whole extension: `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User`. */
interface ExtensionTarget {
  readonly kind: 'extension';
  readonly schema: SchemaDef;
}

/** The target of a PATCH path. */
export type Target = AttributeTarget | ExtensionTarget;

/**
 * Finds the target of a path (RFC 7644 §3.5.2, §3.10).
 *
 * @returns null when no schema of the type has the attribute
 * @throws {ScimRequestError} invalidPath for wrong syntax; invalidFilter for a value filter that does not apply
 */
export function findTarget(type: ResourceTypeDef, path: string, dialect: Dialect): Target | null {
  // Most paths are only a name.
  const named = type.schema.byName.get(path);
  if (named !== undefined) return known(named, null, null, dialect);
  const schema = findSchema(type, path.trim());
  if (schema !== undefined && schema !== type.schema) return { kind: 'extension', schema };
  const parsed = parsePatchPath(path);
  refuseForbidden(parsed);
  const attribute = findAttribute(type, parsed.path.urn, parsed.path.attr);
  if (attribute === undefined) return null;
  const subName = parsed.sub ?? parsed.path.sub;
  const sub = subName === null ? null : lookUp(attribute.subByName, subName);
  if (sub === undefined) return null;
  if (parsed.filter === null) return known(attribute, null, sub, dialect);
  if (attribute.type !== 'complex' || !(attribute.multiValued || dialect.singleValueSelected)) {
    throw invalidPath(`"${attribute.name}" has no values to select from.`);
  }
  return known(attribute, resolveValueFilter(parsed.filter, attribute, dialect), sub, dialect);
}

/**
 * Refuses an attribute that only the server writes (RFC 7644 §3.5.2).
 *
 * @throws {ScimRequestError} mutability
 */
export function requireWritable({ attribute, sub }: AttributeTarget): void {
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    throw mutability(`"${sub === null ? attribute.name : `${attribute.name}.${sub.name}`}" is read-only.`);
  }
}

function known(
  attribute: Attribute,
  filter: BoundValueFilter | null,
  sub: Attribute | null,
  dialect: Dialect,
): AttributeTarget | null {
  if (attribute.returned === 'never' && !dialect.passwordInSchema) return null;
  return { kind: 'attribute', attribute, filter, sub };
}

function refuseForbidden({ path, sub }: PatchPath): void {
  for (const name of [path.attr, path.sub, sub]) {
    if (name !== null && isForbiddenName(name)) throw invalidPath(`"${printPath(path)}" is not a path.`);
  }
}
