import { isObject, messageMember, requireMessageSchema, type JsonObject } from '../dialects/normalise.js';
import type { Filter } from '../filter/ast.js';
import { parseFilter } from '../filter/parse.js';
import { invalidCount, invalidSyntax, invalidValue } from '../scim.errors.js';
import { SEARCH_REQUEST_URN } from '../urns.js';

export interface ListLimits {
  readonly defaultCount: number;
  readonly maxCount: number;
}

/** What a list request asks for (RFC 7644 §3.4.2, RFC 9865 §2). */
export interface ListQuery extends ProjectionQuery {
  readonly filter?: Filter;
  readonly sortBy?: string;
  readonly sortOrder: 'ascending' | 'descending';
  readonly startIndex: number;
  readonly count: number;
  /** Given, if only as '': the pages are turned by cursor. */
  readonly cursor?: string;
}

/** `attributes` and `excludedAttributes` (RFC 7644 §3.9), which every request that answers a resource may have. */
export interface ProjectionQuery {
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

/** Beyond what the database can skip. */
const MAX_INDEX = 2_147_483_647;

/**
 * Reads the query string of a list request. Parameters it does not know are ignored (RFC 7644 §3.4.2).
 *
 * @throws ScimRequestError invalidFilter; invalidValue: a parameter given twice, a number that is none, attributes
 *   and excludedAttributes together; invalidCount: a page no cursor can have (RFC 9865 §2.1)
 */
export function parseListQuery(query: Record<string, unknown>, limits: ListLimits): ListQuery {
  const parts = readParts((name) => textParameter(query, name));
  return listQuery(parts, parseProjectionQuery(query), limits);
}

/**
 * Reads the body of `POST …/.search` (RFC 7644 §3.4.3).
 *
 * @throws ScimRequestError as parseListQuery; invalidSyntax: no such message
 */
export function parseSearchRequest(body: unknown, limits: ListLimits): ListQuery {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
  requireMessageSchema(body, SEARCH_REQUEST_URN, true);
  const parts = readParts((name) => textMember(body, name));
  const projection = projectionQuery(namesMember(body, 'attributes'), namesMember(body, 'excludedAttributes'));
  return listQuery(parts, projection, limits);
}

/** The part of a query string that is about the shape of the answer. */
export function parseProjectionQuery(query: Record<string, unknown>): ProjectionQuery {
  return projectionQuery(
    textParameter(query, 'attributes')?.split(','),
    textParameter(query, 'excludedAttributes')?.split(','),
  );
}

interface Parts {
  readonly filter: string | undefined;
  readonly sortBy: string | undefined;
  readonly sortOrder: string | undefined;
  readonly startIndex: string | undefined;
  readonly count: string | undefined;
  readonly cursor: string | undefined;
}

function readParts(read: (name: string) => string | undefined): Parts {
  return {
    filter: read('filter'),
    sortBy: read('sortBy'),
    sortOrder: read('sortOrder'),
    startIndex: read('startIndex'),
    count: read('count'),
    cursor: read('cursor'),
  };
}

function listQuery(parts: Parts, projection: ProjectionQuery, limits: ListLimits): ListQuery {
  const { filter, sortBy, cursor } = parts;
  return {
    ...projection,
    // An empty filter is not "no filter": it was meant to say something.
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
    ...(sortBy === undefined || sortBy === '' ? {} : { sortBy }),
    sortOrder: sortOrderOf(parts.sortOrder),
    startIndex: Math.min(Math.max(integer('startIndex', parts.startIndex) ?? 1, 1), MAX_INDEX),
    ...(cursor === undefined
      ? { count: indexCount(integer('count', parts.count), limits) }
      : { cursor, count: cursorCount(integer('count', parts.count), limits) }),
  };
}

/** RFC 7644 §3.4.2.4: less than nothing is nothing, more than we give is what we give. */
function indexCount(count: number | undefined, { defaultCount, maxCount }: ListLimits): number {
  return Math.min(Math.max(count ?? defaultCount, 0), maxCount);
}

/** RFC 9865 §2.1: outside the limits is an error there. */
function cursorCount(count: number | undefined, { defaultCount, maxCount }: ListLimits): number {
  if (count === undefined) return Math.min(defaultCount, maxCount);
  if (count < 0 || count > maxCount) throw invalidCount(`"count" must be between 0 and ${maxCount}.`);
  return count;
}

function sortOrderOf(text: string | undefined): 'ascending' | 'descending' {
  const order = (text ?? '').toLowerCase();
  if (order === '' || order === 'ascending') return 'ascending';
  if (order === 'descending') return 'descending';
  throw invalidValue('"sortOrder" must be "ascending" or "descending".');
}

function integer(name: string, text: string | undefined): number | undefined {
  const digits = text?.trim();
  if (digits === undefined || digits === '') return undefined;
  if (!/^-?\d+$/.test(digits)) throw invalidValue(`"${name}" must be an integer.`);
  return Number(digits);
}

function textParameter(query: Record<string, unknown>, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || typeof value === 'string') return value;
  // Which of two values is meant cannot be known.
  throw invalidValue(`"${name}" must be given once, as text.`);
}

/** Numbers are numbers in a message; clients that fill them in as text are understood. */
function textMember(body: JsonObject, name: string): string | undefined {
  const value = messageMember(body, name) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' && (name === 'startIndex' || name === 'count')) return String(value);
  throw invalidValue(`"${name}" has the wrong type.`);
}

function namesMember(body: JsonObject, name: string): string[] | undefined {
  const value = messageMember(body, name) ?? undefined;
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value.split(',');
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw invalidValue(`"${name}" must be an array of names.`);
}

function projectionQuery(attributes?: string[], excludedAttributes?: string[]): ProjectionQuery {
  const only = named(attributes);
  const except = named(excludedAttributes);
  if (only.length > 0 && except.length > 0) {
    throw invalidValue('"attributes" and "excludedAttributes" exclude each other.');
  }
  return {
    ...(only.length === 0 ? {} : { attributes: only }),
    ...(except.length === 0 ? {} : { excludedAttributes: except }),
  };
}

function named(names: readonly string[] | undefined): string[] {
  return (names ?? []).map((name) => name.trim()).filter((name) => name !== '');
}
