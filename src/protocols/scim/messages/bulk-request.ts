import type { Dialect } from '../dialects/dialects.js';
import { isObject, messageMember, requireMessageSchema, type JsonObject } from '../dialects/normalise.js';
import { inspect, uncounted } from '../resource/context.js';
import { RESOURCE_TYPES, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidSyntax, invalidValue, payloadTooLarge, ScimRequestError } from '../scim.errors.js';
import { BULK_REQUEST_URN } from '../urns.js';

/** The methods of bulk operations. */
type BulkMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One operation of a bulk request (RFC 7644 §3.7). */
export interface BulkOperation {
  /** Its position in the request; results have this order. */
  readonly index: number;
  readonly method: BulkMethod;
  readonly path: string;
  /** The resource type of the path; null where `refusal` says that there is none. */
  readonly type: ResourceTypeDef | null;
  /** The id of the path, possibly `bulkId:x`; null for a POST. */
  readonly id: string | null;
  readonly bulkId?: string;
  readonly version?: string;
  readonly data?: unknown;
  /** The error of this operation, which becomes its result; the other operations run. */
  readonly refusal: ScimRequestError | null;
}

/** A parsed bulk request. */
export interface BulkRequest {
  readonly operations: BulkOperation[];
  /** Stop after this many failed operations; undefined: never. */
  readonly failOnErrors?: number;
}

const METHODS: ReadonlySet<unknown> = new Set<BulkMethod>(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Parses a bulk request. An error of the message refuses the whole request; an error of one operation becomes the
 * result of that operation (RFC 7644 §3.7.3).
 *
 * @throws {ScimRequestError} 413 with the limit for too many operations; invalidSyntax or invalidValue for the message
 */
export function parseBulkRequest(
  body: unknown,
  limits: { readonly maxOperations: number },
  dialect: Dialect,
): BulkRequest {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
  requireMessageSchema(body, BULK_REQUEST_URN, dialect, true);
  const wire = messageMember(body, 'Operations');
  if (!Array.isArray(wire)) throw invalidSyntax('"Operations" must be an array.');
  if (wire.length === 0) throw invalidValue('"Operations" must hold at least one operation.');
  if (wire.length > limits.maxOperations) {
    throw payloadTooLarge(
      `A bulk request has at most ${limits.maxOperations} operations (maxOperations); this one has ${wire.length}.`,
    );
  }
  const bulkIds = new Set<string>();
  const operations = wire.map((item, index) => operation(item, index, bulkIds));
  const failOnErrors = messageMember(body, 'failOnErrors') ?? undefined;
  if (failOnErrors === undefined) return { operations };
  if (!Number.isSafeInteger(failOnErrors) || (failOnErrors as number) < 1) {
    throw invalidValue('"failOnErrors" must be a positive integer.');
  }
  return { operations, failOnErrors: failOnErrors as number };
}

function operation(wire: unknown, index: number, bulkIds: Set<string>): BulkOperation {
  const where = `Operation ${index + 1}`;
  if (!isObject(wire)) throw invalidSyntax(`${where} is no object.`);
  const method = text(wire, 'method')?.toUpperCase();
  if (!METHODS.has(method)) throw invalidSyntax(`${where}: "method" must be POST, PUT, PATCH or DELETE.`);
  const path = text(wire, 'path');
  if (path === undefined) throw invalidSyntax(`${where} has no "path".`);
  const bulkId = text(wire, 'bulkId');
  const version = text(wire, 'version');
  const data = messageMember(wire, 'data');
  if (bulkId !== undefined && method === 'POST') {
    // Two definitions would make every reference ambiguous.
    if (bulkIds.has(bulkId)) throw invalidValue(`${where}: the bulkId "${bulkId.slice(0, 100)}" is taken.`);
    bulkIds.add(bulkId);
  }
  const { type, id } = address(path);
  const known = { index, method: method as BulkMethod, path, type, id };
  const refusal = refusalOf(known, bulkId, data);
  return {
    ...known,
    ...(bulkId === undefined ? {} : { bulkId }),
    ...(version === undefined ? {} : { version }),
    ...(data === undefined || data === null ? {} : { data }),
    refusal,
  };
}

function refusalOf(
  { method, type, id }: Pick<BulkOperation, 'method' | 'type' | 'id'>,
  bulkId: string | undefined,
  data: unknown,
): ScimRequestError | null {
  if (type === null) return new ScimRequestError(404, 'There is no such endpoint.');
  if (method === 'POST') {
    if (id !== null) return invalidValue('A POST goes to an endpoint, without an id.');
    if (bulkId === undefined || bulkId === '') return invalidValue('A POST needs a "bulkId".');
  } else if (id === null) {
    return invalidValue(`A ${method} needs the id of a resource in its path.`);
  }
  if (method !== 'DELETE' && !isObject(data)) return invalidSyntax(`A ${method} needs "data", an object.`);
  return refusedData(data);
}

/** Checks the depth of the data. References are searched in all of it before it is read as a resource. */
function refusedData(data: unknown): ScimRequestError | null {
  try {
    inspect(data, uncounted(), 1);
    return null;
  } catch (error) {
    if (error instanceof ScimRequestError) return error;
    throw error;
  }
}

/** Splits `/Users`, `/Users/{id}` and the like. */
function address(path: string): { type: ResourceTypeDef | null; id: string | null } {
  const parts = (path.startsWith('/') ? path.slice(1) : path).split('/');
  const type = RESOURCE_TYPES.find((each) => each.endpoint === `/${parts[0]}`) ?? null;
  if (type === null || parts.length > 2) return { type: null, id: null };
  const id = parts[1] === undefined || parts[1] === '' ? null : decoded(parts[1]);
  return { type, id };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function text(wire: JsonObject, name: string): string | undefined {
  const value = messageMember(wire, name) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalidSyntax(`"${name}" must be a string.`);
}
