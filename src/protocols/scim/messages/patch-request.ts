import type { Dialect } from '../dialects/dialects.js';
import {
  isObject,
  messageMember,
  normaliseOperation,
  requireMessageSchema,
  type PatchOperation,
} from '../dialects/normalise.js';
import { invalidPath, invalidSyntax, invalidValue, noTarget, payloadTooLarge } from '../scim.errors.js';
import { PATCH_OP_URN } from '../urns.js';

export type { PatchOperation } from '../dialects/normalise.js';

const MAX_OPERATIONS = 1000;

/**
 * Parses the body of a PATCH (RFC 7644 §3.5.2) to operations in the form of the RFC.
 *
 * @throws {ScimRequestError} invalidSyntax for another message or an unknown `op`; invalidValue for no operations or
 * `add` without a value; noTarget for `remove` without a path; invalidPath for a missing path, where the dialect
 * requires one; 413 for more than 1,000 operations
 */
export function parsePatchRequest(body: unknown, dialect: Dialect): PatchOperation[] {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
  requireMessageSchema(body, PATCH_OP_URN, dialect);
  const wire = messageMember(body, 'Operations');
  if (!Array.isArray(wire)) throw invalidSyntax('"Operations" must be an array.');
  if (wire.length === 0) throw invalidValue('"Operations" must hold at least one operation.');
  if (wire.length > MAX_OPERATIONS) {
    throw payloadTooLarge(`A PATCH has at most ${MAX_OPERATIONS} operations.`);
  }
  const operations: PatchOperation[] = [];
  for (const item of wire) {
    const operation = normaliseOperation(item, dialect);
    if (operation.path === undefined) {
      if (operation.op === 'remove') throw noTarget('"remove" needs a path.');
      if (!dialect.pathlessPatch) throw invalidPath('Every operation needs a path.');
    }
    operations.push(operation);
  }
  return operations;
}
