import type { OpenAPIObject } from '@nestjs/swagger';
import { scimRef, type JsonSchema } from './scim-schemas.js';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One operation, with its body, its answers, and its own refusals. */
interface Entry {
  readonly summary: string;
  readonly takes?: string;
  /** By status; null for an answer without a body. */
  readonly gives: Readonly<Record<number, string | null>>;
  readonly refuses?: readonly number[];
  readonly query?: readonly string[];
  readonly note?: string;
}

const REFUSALS: Record<number, string> = {
  400: 'The fault is named in `scimType` and `detail` (RFC 7644 §3.12).',
  401: 'The credential is missing, unknown, expired or revoked.',
  403: 'No free seat, and the policy is `block`; or a filter on a discovery document.',
  404: 'There is no such resource in this directory.',
  406: 'The Accept header leaves room for neither application/scim+json nor application/json.',
  409: '`uniqueness`: another resource has the name.',
  412: 'If-Match named another version than the present one.',
  413: 'The body, or the work that it asks for, is over the limit that `detail` names.',
  415: 'The body is no uncompressed JSON in UTF-8.',
  429: 'Over the rate limit; Retry-After says when to come back.',
  500: 'Something went wrong on our side; X-Request-Id helps to find it.',
  501: 'The protocol knows it, this service does not offer it.',
  503: 'The service, or the share of a tenant, is busy or away; Retry-After says when to come back.',
  507: 'The storage of the tenant is exhausted. Deactivations, deletions and the removal of members pass.',
};

/** The statuses of every operation with a credential. */
const ALWAYS = [401, 406, 429, 500, 503];
const OF_BODY = [400, 413, 415];

const PROJECTION = ['attributes', 'excludedAttributes'];
const PAGE = [...PROJECTION, 'filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'cursor'];

const LISTS =
  'A page is cut at 2 MiB of what is stored: it may have fewer resources than `count`, and `itemsPerPage` says how many ' +
  '(RFC 7644 §3.4.2.4). The next page begins at `startIndex` + `itemsPerPage`, or at `nextCursor`. 503 with ' +
  '`Retry-After` where too many large answers are asked for at once.';
const WRITES =
  '400 `invalidValue` where the stored resource would be over 256 KiB of JSON (the members of a group do not count); ' +
  '`detail` says the limit and the size, and nothing is changed.';
const MEMBERS =
  '400 `tooMany` where the members are over 32 MiB (about 200 000); ask with `excludedAttributes=members`.';

function typeRoutes(type: 'User' | 'Group'): Record<string, Partial<Record<Method, Entry>>> {
  const [one, many] = [`Scim${type}`, `Scim${type}List`];
  const name = type.toLowerCase();
  const written = [...OF_BODY, 403, 409, 507];
  return {
    [`/scim/v2/${type}s`]: {
      get: {
        summary: `Lists ${name}s by filter, in pages (RFC 7644 §3.4.2, RFC 9865)`,
        gives: { 200: many },
        refuses: [400],
        query: PAGE,
        note: LISTS,
      },
      post: {
        summary: type === 'User' ? 'Creates a user, or links the existing user that it matches' : 'Creates a group',
        takes: one,
        gives: { 201: one },
        refuses: written,
        query: PROJECTION,
        note: WRITES,
      },
    },
    [`/scim/v2/${type}s/.search`]: {
      post: {
        summary: `Searches ${name}s (RFC 7644 §3.4.3)`,
        takes: 'ScimSearch',
        gives: { 200: many },
        refuses: OF_BODY,
        note: LISTS,
      },
    },
    [`/scim/v2/${type}s/{id}`]: {
      get: {
        summary: `Reads a ${name}`,
        gives: { 200: one, 304: null },
        refuses: [400, 404],
        query: PROJECTION,
        ...(type === 'Group' ? { note: MEMBERS } : {}),
      },
      put: {
        summary: `Replaces a ${name}`,
        takes: one,
        gives: { 200: one },
        refuses: [...written, 404, 412],
        query: PROJECTION,
        note: WRITES,
      },
      patch: {
        summary: `Changes a ${name} (RFC 7644 §3.5.2)`,
        takes: 'ScimPatch',
        // A group may have a hundred thousand members, so they are shown only on request.
        gives: type === 'User' ? { 200: one } : { 200: one, 204: null },
        refuses: [...written, 404, 412],
        query: PROJECTION,
        note: WRITES,
      },
      delete: { summary: `Deletes a ${name}`, gives: { 204: null }, refuses: [404, 412] },
    },
  };
}

const ME: Entry = { summary: '501: a directory’s token is no user', gives: {}, refuses: [501] };
const FILTERED = [403];

const ROUTES: Record<string, Partial<Record<Method, Entry>>> = {
  ...typeRoutes('User'),
  ...typeRoutes('Group'),
  '/scim/v2': {
    get: {
      summary: 'Lists users, then groups (RFC 7644 §3.4.2.1)',
      gives: { 200: 'ScimList' },
      refuses: [400],
      query: PAGE,
      note: LISTS,
    },
  },
  '/scim/v2/.search': {
    post: {
      summary: 'Searches users and groups (RFC 7644 §3.4.3)',
      takes: 'ScimSearch',
      gives: { 200: 'ScimList' },
      refuses: OF_BODY,
      note: LISTS,
    },
  },
  '/scim/v2/Bulk': {
    post: {
      summary: 'Makes up to 1 000 operations in one request (RFC 7644 §3.7)',
      takes: 'ScimBulkRequest',
      gives: { 200: 'ScimBulkResponse' },
      refuses: OF_BODY,
      note: WRITES,
    },
  },
  '/scim/v2/Me': { get: ME, post: ME, put: ME, patch: ME, delete: ME },
  '/scim/v2/ServiceProviderConfig': {
    get: {
      summary: 'Says what the service supports; needs no credential',
      gives: { 200: 'ScimDocument' },
      refuses: FILTERED,
    },
  },
  '/scim/v2/ResourceTypes': {
    get: { summary: 'Lists the resource types', gives: { 200: 'ScimDocumentList' }, refuses: FILTERED },
  },
  '/scim/v2/ResourceTypes/{name}': {
    get: { summary: 'Reads a resource type', gives: { 200: 'ScimDocument' }, refuses: [...FILTERED, 404] },
  },
  '/scim/v2/Schemas': {
    get: { summary: 'Lists the schemas', gives: { 200: 'ScimDocumentList' }, refuses: FILTERED },
  },
  '/scim/v2/Schemas/{urn}': {
    get: { summary: 'Reads a schema', gives: { 200: 'ScimDocument' }, refuses: [...FILTERED, 404] },
  },
};

/** Returns the SCIM addresses for the description of the API, with every status that they answer. */
export function scimPaths(): OpenAPIObject['paths'] {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, methods] of Object.entries(ROUTES)) {
    paths[path] = Object.fromEntries(
      Object.entries(methods).map(([method, entry]) => [method, operation(path, method as Method, entry)]),
    );
  }
  return paths;
}

function operation(path: string, method: Method, entry: Entry): Operation {
  const isOpen = path.endsWith('/ServiceProviderConfig');
  const inPath = (path.match(/\{(\w+)\}/g) ?? []).map((name) => parameter(name.slice(1, -1), 'path'));
  const inQuery = (entry.query ?? []).map((name) => parameter(name, 'query'));
  const responses: Operation['responses'] = {};
  for (const [status, schema] of Object.entries(entry.gives)) {
    responses[status] =
      schema === null ? { description: 'Empty.' } : { description: entry.summary, content: of(schema) };
  }
  const refusals = isOpen ? [500, ...(entry.refuses ?? [])] : [...ALWAYS, ...(entry.refuses ?? [])];
  for (const status of [...new Set(refusals)].sort((a, b) => a - b)) {
    responses[status] = { description: REFUSALS[status]!, content: of('ScimError') };
  }
  return {
    tags: ['scim'],
    summary: entry.summary,
    ...(entry.note === undefined ? {} : { description: entry.note }),
    operationId: `Scim_${method}_${path.slice(9).replace(/\W+/g, '_')}`,
    security: isOpen ? [] : [{ scim_token: [] }],
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(entry.takes === undefined ? {} : { requestBody: { required: true, content: of(entry.takes) } }),
    responses,
  } as Operation;
}

/** Both media types of SCIM (RFC 7644 §3.8). */
function of(schema: string): Record<string, { schema: JsonSchema }> {
  return { 'application/scim+json': { schema: scimRef(schema) }, 'application/json': { schema: scimRef(schema) } };
}

function parameter(name: string, place: 'path' | 'query'): JsonSchema {
  const whole = name === 'startIndex' || name === 'count';
  return { name, in: place, required: place === 'path', schema: { type: whole ? 'integer' : 'string' } };
}
