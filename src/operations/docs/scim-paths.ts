import type { OpenAPIObject } from '@nestjs/swagger';

type PathItem = OpenAPIObject['paths'][string];
type Operation = NonNullable<PathItem['get']>;

// SCIM describes itself (/Schemas, /ServiceProviderConfig), in its own language. Here it is only said what there is.
const RESOURCE = { 'application/scim+json': { schema: { type: 'object' as const } } };
const ROUTES: Record<string, Record<string, [summary: string, status: number]>> = {
  '/scim/v2/Users': {
    get: ['Users, with filter, sortBy, startIndex and count, or cursor (RFC 9865)', 200],
    post: ['A new user; one that matches an existing person links to them', 201],
  },
  '/scim/v2/Users/.search': { post: ['The same as a search request (RFC 7644 §3.4.3)', 200] },
  '/scim/v2/Users/{id}': {
    get: ['One user', 200],
    put: ['Replaces a user', 200],
    patch: ['Changes a user', 200],
    delete: ['Deletes a user', 204],
  },
  '/scim/v2/Groups': { get: ['Groups', 200], post: ['A new group', 201] },
  '/scim/v2/Groups/.search': { post: ['The same as a search request', 200] },
  '/scim/v2/Groups/{id}': {
    get: ['One group', 200],
    put: ['Replaces a group', 200],
    patch: ['Changes a group and its members', 204],
    delete: ['Deletes a group', 204],
  },
  '/scim/v2/.search': { post: ['Users and groups together', 200] },
  '/scim/v2/Bulk': { post: ['Up to 1 000 operations in one request', 200] },
  '/scim/v2/Me': { get: ['501: the credential of a directory is no person’s', 501] },
  '/scim/v2/ServiceProviderConfig': { get: ['What this server can do; needs no credential', 200] },
  '/scim/v2/ResourceTypes': { get: ['Which resources there are', 200] },
  '/scim/v2/Schemas': { get: ['Which attributes they have', 200] },
};

const LISTS =
  'A page is cut at 2 MiB of what is stored: it may have fewer resources than `count`, and `itemsPerPage` says how many ' +
  '(RFC 7644 §3.4.2.4). The next page begins at `startIndex` + `itemsPerPage`, or at `nextCursor`. 503 with ' +
  '`Retry-After` where too many large answers are asked for at once.';
const WRITES =
  '400 `invalidValue` where the stored resource would be over 256 KiB of JSON (the members of a group do not count); ' +
  '`detail` says the limit and the size, and nothing is changed.';
const MEMBERS =
  '400 `tooMany` where the members are over 32 MiB (about 200 000); ask with `excludedAttributes=members`.';

/** What an operation of SCIM has to say beside its summary. */
function noteOf(path: string, method: string): string | undefined {
  if (path.endsWith('.search') || (method === 'get' && /s$/.test(path) && /Users|Groups/.test(path))) return LISTS;
  if (method === 'get' && path === '/scim/v2/Groups/{id}') return MEMBERS;
  return method === 'delete' || !/Users|Groups|Bulk/.test(path) || method === 'get' ? undefined : WRITES;
}

/** The SCIM door in the description of the API. */
export function scimPaths(): OpenAPIObject['paths'] {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, methods] of Object.entries(ROUTES)) {
    const item: Record<string, Operation> = {};
    for (const [method, [summary, status]] of Object.entries(methods)) {
      const takesBody = method === 'post' || method === 'put' || method === 'patch';
      const note = noteOf(path, method);
      item[method] = {
        tags: ['scim'],
        summary,
        ...(note === undefined ? {} : { description: note }),
        operationId: `Scim_${method}_${path.slice(9).replace(/\W+/g, '_')}`,
        security: path.endsWith('/ServiceProviderConfig') ? [] : [{ scim_token: [] }],
        ...(path.includes('{id}')
          ? { parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] }
          : {}),
        ...(takesBody ? { requestBody: { required: true, content: RESOURCE } } : {}),
        responses: {
          [status]: { description: summary, ...(status === 204 ? {} : { content: RESOURCE }) },
          default: { description: 'A SCIM error (RFC 7644 §3.12).', content: RESOURCE },
        },
      };
    }
    paths[path] = item;
  }
  return paths;
}
