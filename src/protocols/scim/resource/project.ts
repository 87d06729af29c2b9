import { lookUp, type Attribute } from '../schema/attribute.js';
import { findAttribute, findSchema, type Resource, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidValue } from '../scim.errors.js';

/** The selected part of an attribute: true for all of it, or names of sub-attributes. */
type Selection = true | Set<string>;

/** The selected parts of a resource (RFC 7644 §3.4.2.5, §3.9). */
export interface Projection {
  readonly mode: 'only' | 'except';
  /** By key of the resource; for an extension the value is a selection of its attributes. */
  readonly core: ReadonlyMap<string, Selection>;
  readonly extensions: ReadonlyMap<string, true | ReadonlyMap<string, Selection>>;
}

/**
 * Parses `attributes` or `excludedAttributes`: names in any case, with or without URN, with or without a sub-attribute.
 * Unknown names are ignored.
 *
 * @returns null for the whole resource
 * @throws {ScimRequestError} invalidValue when both are present
 */
export function parseProjection(
  type: ResourceTypeDef,
  attributes?: readonly string[],
  excludedAttributes?: readonly string[],
): Projection | null {
  const only = attributes ?? [];
  const except = excludedAttributes ?? [];
  if (only.length === 0 && except.length === 0) return null;
  if (only.length > 0 && except.length > 0) {
    throw invalidValue('"attributes" and "excludedAttributes" exclude each other.');
  }
  const core = new Map<string, Selection>();
  const extensions = new Map<string, true | Map<string, Selection>>();
  for (const name of only.length > 0 ? only : except) select(type, name.trim(), core, extensions);
  return { mode: only.length > 0 ? 'only' : 'except', core, extensions };
}

/** Returns the selected parts of `resource`; always with `id` and `schemas` (returned=always). */
export function project(resource: Resource, projection: Projection | null): Resource {
  if (projection === null) return resource;
  const result: Resource = {};
  for (const key of Object.keys(resource)) {
    const value = key === 'id' || key === 'schemas' ? resource[key] : projected(key, resource[key], projection);
    if (value !== undefined) result[key] = value;
  }
  return result;
}

/** Returns whether an answer needs the attribute, so that data of other tables is read only then. */
export function projectionNeeds(projection: Projection | null, attribute: string): boolean {
  if (projection === null || attribute === 'id' || attribute === 'schemas') return true;
  const selection = projection.core.get(attribute);
  return projection.mode === 'only' ? selection !== undefined : selection !== true;
}

function select(
  type: ResourceTypeDef,
  text: string,
  core: Map<string, Selection>,
  extensions: Map<string, true | Map<string, Selection>>,
): void {
  const schema = findSchema(type, text);
  if (schema !== undefined) {
    if (schema !== type.schema) extensions.set(schema.urn, true);
    return;
  }
  const colon = text.lastIndexOf(':');
  const dot = text.indexOf('.', colon + 1);
  const name = text.slice(colon + 1, dot === -1 ? undefined : dot);
  const attribute = findAttribute(type, colon === -1 ? null : text.slice(0, colon), name);
  if (attribute === undefined) return;
  const sub = dot === -1 ? null : lookUp(attribute.subByName, text.slice(dot + 1));
  if (sub === undefined) return;
  if (attribute.extension === null) {
    widen(core, attribute, sub);
    return;
  }
  const within = extensions.get(attribute.extension) ?? new Map<string, Selection>();
  if (within === true) return;
  widen(within, attribute, sub);
  extensions.set(attribute.extension, within);
}

function widen(into: Map<string, Selection>, attribute: Attribute, sub: Attribute | null): void {
  const known = into.get(attribute.name);
  if (known === true) return;
  if (sub === null) into.set(attribute.name, true);
  else if (known === undefined) into.set(attribute.name, new Set([sub.name]));
  else known.add(sub.name);
}

function projected(key: string, value: unknown, { mode, core, extensions }: Projection): unknown {
  const within = extensions.get(key);
  if (within === undefined || within === true) {
    return part(value, within ?? core.get(key), mode);
  }
  const result: Record<string, unknown> = {};
  const source = value as Record<string, unknown>;
  for (const name of Object.keys(source)) {
    const left = part(source[name], within.get(name), mode);
    if (left !== undefined) result[name] = left;
  }
  return Object.keys(result).length === 0 ? undefined : result;
}

function part(value: unknown, selection: Selection | undefined, mode: Projection['mode']): unknown {
  if (selection === undefined) return mode === 'only' ? undefined : value;
  if (selection === true) return mode === 'only' ? value : undefined;
  if (!Array.isArray(value)) return subSet(value, selection, mode);
  const list = value.map((item) => subSet(item, selection, mode)).filter((item) => item !== undefined);
  return list.length === 0 ? undefined : list;
}

function subSet(value: unknown, names: ReadonlySet<string>, mode: Projection['mode']): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const source = value as Record<string, unknown>;
  const result: Record<string, unknown> = {};
  let empty = true;
  for (const name of Object.keys(source)) {
    if (names.has(name) !== (mode === 'only')) continue;
    result[name] = source[name];
    empty = false;
  }
  return empty ? undefined : result;
}
