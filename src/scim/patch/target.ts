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

/** What a PATCH path points at. */
export interface AttributeTarget {
  readonly kind: 'attribute';
  readonly attribute: Attribute;
  /** Which values of a multi-valued attribute; null for all of them. */
  readonly filter: BoundValueFilter | null;
  readonly sub: Attribute | null;
}

/** A whole extension: `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User`. */
export interface ExtensionTarget {
  readonly kind: 'extension';
  readonly schema: SchemaDef;
}

export type Target = AttributeTarget | ExtensionTarget;

/**
 * Finds what a path points at (RFC 7644 §3.5.2, §3.10).
 *
 * @returns null when no schema of the type knows the attribute
 * @throws ScimRequestError invalidPath: broken syntax; invalidFilter: a value filter that makes no sense
 */
export function findTarget(type: ResourceTypeDef, path: string, dialect: Dialect): Target | null {
  // Most paths are just a name.
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
  if (!attribute.multiValued || attribute.type !== 'complex') {
    throw invalidPath(`"${attribute.name}" has no values to select from.`);
  }
  return known(attribute, resolveValueFilter(parsed.filter, attribute, dialect), sub, dialect);
}

/** @throws ScimRequestError mutability: the server alone writes this (RFC 7644 §3.5.2) */
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
