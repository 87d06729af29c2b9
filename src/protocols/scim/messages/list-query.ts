import type { Dialect } from '../dialects/dialects.js';
import { isObject, messageMember, requireMessageSchema, type JsonObject } from '../dialects/normalise.js';
import type { Filter } from '../filter/ast.js';
import { parseFilter } from '../filter/parse.js';
import { invalidCount, invalidSyntax, invalidValue } from '../scim.errors.js';
import { SEARCH_REQUEST_URN, LIST_RESPONSE_URN } from '../urns.js';

/** The page sizes of a server. */
interface ListLimits {
  readonly defaultCount: number;
  readonly maxCount: number;
}

/** The parameters of a list request (RFC 7644 §3.4.2, RFC 9865 §2). */
export interface ListQuery extends ProjectionQuery {
  readonly filter?: Filter;
  readonly sortBy?: string;
  readonly sortOrder: 'ascending' | 'descending';
  readonly startIndex: number;
  readonly count: number;
  /** Present, even as '': pages by cursor. */
  readonly cursor?: string;
}

/** `attributes` and `excludedAttributes` (RFC 7644 §3.9), for every request whose answer is a resource. */
interface ProjectionQuery {
  readonly attributes?: readonly string[];
  readonly excludedAttributes?: readonly string[];
}

/** The largest offset of the database. */
const MAX_INDEX = 2_147_483_647;

/**
 * Parses the query string of a list request. Unknown parameters are ignored (RFC 7644 §3.4.2).
 *
 * @throws {ScimRequestError} invalidFilter; invalidValue for a repeated parameter, a wrong number, or attributes
 * together with excludedAttributes; invalidCount for a page that no cursor can have (RFC 9865 §2.1)
 */
export function parseListQuery(query: Record<string, unknown>, limits: ListLimits): ListQuery {
  const parts = readParts((name) => textParameter(query, name));
  return listQuery(parts, parseProjectionQuery(query), limits);
}

/**
 * Parses the body of `POST …/.search` (RFC 7644 §3.4.3).
 *
 * @throws {ScimRequestError} as parseListQuery; invalidSyntax for another message
 */
export function parseSearchRequest(body: unknown, limits: ListLimits, dialect: Dialect): ListQuery {
  if (!isObject(body)) throw invalidSyntax('The body must be a JSON object.');
  requireMessageSchema(body, SEARCH_REQUEST_URN, dialect, true);
  const parts = readParts((name) => textMember(body, name));
  const projection = projectionQuery(namesMember(body, 'attributes'), namesMember(body, 'excludedAttributes'));
  return listQuery(parts, projection, limits);
}

/** Parses the parameters that select attributes of the answer. */
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
    // An empty filter is refused: the client meant to filter.
    ...(filter === undefined ? {} : { filter: parseFilter(filter) }),
    ...(sortBy === undefined || sortBy === '' ? {} : { sortBy }),
    sortOrder: sortOrderOf(parts.sortOrder),
    startIndex: Math.min(Math.max(integer('startIndex', parts.startIndex) ?? 1, 1), MAX_INDEX),
    ...(cursor === undefined
      ? { count: indexCount(integer('count', parts.count), limits) }
      : { cursor, count: cursorCount(integer('count', parts.count), limits) }),
  };
}

/**
 * Returns the page size for `startIndex`. A negative `count` is 0; a `count` above the maximum is the maximum (RFC 7644
 * §3.4.2.4).
 */
function indexCount(count: number | undefined, { defaultCount, maxCount }: ListLimits): number {
  return Math.min(Math.max(count ?? defaultCount, 0), maxCount);
}

/** Returns the page size for cursors. A `count` outside the limits is an error (RFC 9865 §2.1). */
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
  // Two values are ambiguous.
  throw invalidValue(`"${name}" must be given once, as text.`);
}

/** Returns a number of a message as text. Some clients send numbers as text. */
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

/** The values of a ListResponse message (RFC 7644 §3.4.2). */
interface ListResponse {
  /** All matches, not only those of this page. May be left out with cursors (RFC 9865 §2). */
  readonly totalResults?: number;
  /** Left out for pages by cursor. */
  readonly startIndex?: number;
  readonly itemsPerPage: number;
  /** The resources as JSON texts: the database gives them as text, and they are not parsed. */
  readonly resources: readonly string[];
  readonly nextCursor?: string;
  readonly previousCursor?: string;
}

/** Returns the body of a list answer (RFC 7644 §3.4.2) as JSON text. `Resources` is present even when empty. */
export function listResponseText(list: ListResponse): string {
  let text = `{"schemas":["${LIST_RESPONSE_URN}"]`;
  if (list.totalResults !== undefined) text += `,"totalResults":${list.totalResults}`;
  if (list.startIndex !== undefined) text += `,"startIndex":${list.startIndex}`;
  text += `,"itemsPerPage":${list.itemsPerPage}`;
  if (list.nextCursor !== undefined) text += `,"nextCursor":${JSON.stringify(list.nextCursor)}`;
  if (list.previousCursor !== undefined) text += `,"previousCursor":${JSON.stringify(list.previousCursor)}`;
  const { resources } = list;
  if (resources.length === 0) return `${text},"Resources":[]}`;
  // One call joins all, so that the engine copies each resource once. Text around it would make it copy the whole again.
  const parts = [...resources];
  parts[0] = `${text},"Resources":[${parts[0]}`;
  parts[parts.length - 1] += ']}';
  return parts.join(',');
}
