import { invalidSyntax, invalidValue } from '../scim.errors.js';
import type { Dialect } from './dialects.js';

/** The verbs of PATCH (RFC 7644 §3.5.2). */
export type PatchOp = 'add' | 'replace' | 'remove';

/** A PATCH operation in the form of the RFC (RFC 7644 §3.5.2). Without `path` the target is the resource. */
export interface PatchOperation {
  readonly op: PatchOp;
  readonly path?: string;
  /** Missing only for `remove`. */
  readonly value?: unknown;
}

/** A JSON object whose members are not checked yet. */
export type JsonObject = Record<string, unknown>;

/** Returns whether a value is a JSON object, and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Returns a member of a message by its name, in any case (RFC 7643 §2.1 applies to messages too).
 *
 * @param name in the spelling of the RFC
 */
export function messageMember(message: JsonObject, name: string): unknown {
  if (Object.hasOwn(message, name)) return message[name];
  const lower = name.toLowerCase();
  for (const key of Object.keys(message)) {
    if (key.length === lower.length && key.toLowerCase() === lower) return message[key];
  }
  return undefined;
}

/**
 * Refuses a message that does not name its schema (RFC 7644 §3.1), unless the dialect skips foreign schemas: clients send
 * an empty list, or `urn:ietf:params:scim:schemas:core:2.0:PatchOp`.
 *
 * @param mayBeMissing the message may come without `schemas` in every dialect
 * @throws {ScimRequestError} invalidSyntax
 */
export function requireMessageSchema(
  message: JsonObject,
  urn: string,
  { foreignSchemasSkipped }: Dialect,
  mayBeMissing = false,
): void {
  if (foreignSchemasSkipped) return;
  const schemas = messageMember(message, 'schemas');
  if (mayBeMissing && (schemas === undefined || schemas === null)) return;
  const lower = urn.toLowerCase();
  const named =
    Array.isArray(schemas) && schemas.some((each) => typeof each === 'string' && each.toLowerCase() === lower);
  if (!named) throw invalidSyntax(`"schemas" must name ${urn}.`);
}

/**
 * Converts an operation of a request to the form of the RFC.
 *
 * @throws {ScimRequestError} invalidSyntax for a value that is no object, an unknown `op` or a `path` that is no text;
 * invalidValue for a missing value
 */
export function normaliseOperation(wire: unknown, dialect: Dialect): PatchOperation {
  if (!isObject(wire)) throw invalidSyntax('A PATCH operation must be an object.');
  const op = opOf(messageMember(wire, 'op'), dialect);
  const path = messageMember(wire, 'path') ?? undefined;
  if (path !== undefined && typeof path !== 'string') throw invalidSyntax('"path" must be a string.');
  const value = messageMember(wire, 'value');
  if (value === undefined && op !== 'remove') throw invalidValue(`"${op}" needs a value.`);
  return path === undefined || path === '' ? { op, value } : { op, path, value };
}

function opOf(op: unknown, dialect: Dialect): PatchOp {
  const name = typeof op === 'string' && dialect.capitalisedOps ? op.toLowerCase() : op;
  if (name === 'add' || name === 'replace' || name === 'remove') return name;
  throw invalidSyntax('"op" must be one of "add", "remove" and "replace".');
}
