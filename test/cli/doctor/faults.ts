import type { Fault, PassingAnswer, PassingRequest } from './faulty-peer.js';

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- faults reach into documents of any shape */
type Document = any;
type When = (request: PassingRequest, answer: PassingAnswer) => boolean;

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const isUser: When = ({ method, path }, { status }) =>
  status < 300 && (/^\/Users\/[^?]+$/.test(path) || (method === 'POST' && path === '/Users'));
const isList: When = ({ path }, { status }) => status === 200 && /^\/(?:Users|Groups)\?/.test(path);
const isLookUp: When = (request, answer) => isList(request, answer) && request.path.includes('filter=');
const isPage: When = (request, answer) => isList(request, answer) && !request.path.includes('filter=');
const isMade: When = ({ method, path }, { status }) => method === 'POST' && path === '/Users' && status === 201;
const isError =
  (status: number): When =>
  (_, answer) =>
    answer.status === status;
const isGroup: When = ({ path }, { status }) => status === 200 && /^\/Groups\/[^?]+$/.test(path);

/** Spoils the documents of some answers. */
function document(
  name: string,
  field: RegExp,
  when: When,
  spoil: (body: Document, request: PassingRequest) => void,
): Fault {
  return {
    name,
    field,
    answer(answer, request) {
      if (answer.text === '' || !when(request, answer)) return;
      const body = JSON.parse(answer.text);
      spoil(body, request);
      answer.text = JSON.stringify(body);
    },
  };
}

/** Spoils status, headers or text of some answers. */
function whole(name: string, field: RegExp, when: When, spoil: (answer: PassingAnswer) => void): Fault {
  return { name, field, answer: (answer, request) => (when(request, answer) ? spoil(answer) : undefined) };
}

/** Leaves operations out of PATCH requests: the service never sees them. */
function swallowed(name: string, field: RegExp, matches: (operation: Document) => boolean): Fault {
  return {
    name,
    field,
    request(request) {
      if (request.method !== 'PATCH') return;
      const body = JSON.parse(request.body);
      body.Operations = body.Operations.filter((operation: Document) => !matches(operation));
      if (body.Operations.length === 0) return { status: 204, headers: {}, text: '' };
      request.body = JSON.stringify(body);
    },
  };
}

const startIndexOf = (path: string) => Number(/startIndex=(\d+)/.exec(path)?.[1] ?? 1);
const namesOf = (operation: Document, name: string) => operation.path === name || operation.value?.[name] !== undefined;

/** Faults that `doctor` and both gates find. */
export const FAULTS: readonly Fault[] = [
  document('a total as text', /^totalResults$/, isList, (body) => (body.totalResults = String(body.totalResults))),
  document('a total of the page', /^totalResults|Resources$/, isPage, (body) => (body.totalResults = body.itemsPerPage)),
  document('a start that is always 1', /^startIndex$/, isPage, (body) => (body.startIndex = 1)),
  document('a page length that is always 100', /^itemsPerPage$/, isList, (body) => (body.itemsPerPage = 100)),
  document('a list without its schema', /^schemas$/, isList, (body) => delete body.schemas),
  document('a list under another name', /^Resources|itemsPerPage|totalResults$/, isLookUp, (body) => {
    body.resources = body.Resources;
    delete body.Resources;
  }),
  whole('404 for a list without hits', /^status$/, (request, answer) => isLookUp(request, answer) && answer.text.includes('"totalResults":0'), (answer) => {
    answer.status = 404;
    answer.text = JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' });
  }),
  { name: 'a filter that counts letters by case', field: /^totalResults$/, request: ({ path, headers }) => {
    if (/DOCTOR/.test(path)) return empty(headers);
  } },
  { name: 'a filter that is ignored', field: /^totalResults|userName$/, request: (request) => {
    request.path = request.path.replace(/^\/Users\?filter=userName eq "[^"]*"&?/, '/Users?');
  } },
  { name: 'pages that repeat the first one', field: /^Resources|startIndex$/, request: (request) => {
    if (!request.path.includes('filter=')) request.path = request.path.replace(/startIndex=\d+/, 'startIndex=1');
  } },
  document('an empty last page', /^Resources|itemsPerPage$/, isPage, (body, { path }) => {
    if (startIndexOf(path) === 1 || body.Resources === undefined) return;
    body.Resources = [];
    body.itemsPerPage = 0;
  }),
  whole('200 for a created user', /^status$/, isMade, (answer) => (answer.status = 200)),
  whole('a created user without Location', /^Location$/, isMade, (answer) => delete answer.headers['location']),
  document('a created user without id', /^id$/, isMade, (body) => delete body.id),
  document('a user without meta', /^meta$/, isUser, (body) => delete body.meta),
  document('the location of another user', /^meta\.location$/, isUser, (body) => (body.meta.location += 'x')),
  document('another resource type', /^meta\.resourceType$/, isUser, (body) => (body.meta.resourceType = 'user')),
  document('a day as time', /^meta\.created$/, isUser, (body) => (body.meta.created = '2026-01-31')),
  document('a password', /^password$/, isUser, (body) => (body.password = '********')),
  document('active as text', /^active$/, isUser, (body) => (body.active = String(body.active))),
  document('e-mails in small letters', /^emails\[0\]/, isUser, (body) => body.emails?.forEach((one: Document) => (one.value = one.value?.toLowerCase()))),
  document('numbers without blanks', /^phoneNumbers\[0\]/, isUser, (body) => body.phoneNumbers?.forEach((one: Document) => (one.value = one.value.replaceAll(' ', '')))),
  document('a lost family name', /^name\.familyName$/, isUser, (body) => delete body.name?.familyName),
  document('a lost department', /department$/, isUser, (body) => delete body[ENTERPRISE]?.department),
  document('an extension that schemas does not name', /^schemas$/, isUser, (body) => (body.schemas = body.schemas.filter((urn: string) => urn !== ENTERPRISE))),
  whole('another ETag', /^ETag$/, isUser, (answer) => (answer.headers['etag'] = 'W/"0"')),
  document('a lost externalId', /^externalId$/, isUser, (body) => delete body.externalId),
  document('primary as text', /^emails\.primary$/, isUser, (body) => body.emails?.forEach((one: Document) => (one.primary = 'true'))),
  document('letters that are lost', /^displayName$/, isUser, (body) => (body.displayName = body.displayName?.replaceAll('ë', '?'))),
  swallowed('a deactivation that has no effect', /^active$/, (operation) => namesOf(operation, 'active')),
  whole('PATCH that is answered 500', /^status$/, ({ method, path }) => method === 'PATCH' && path.startsWith('/Users'), (answer) => {
    answer.status = 500;
    answer.text = JSON.stringify({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '500', detail: 'x' });
    answer.headers['content-type'] = 'application/scim+json';
  }),
  whole('401 without WWW-Authenticate', /^WWW-Authenticate$/, isError(401), (answer) => delete answer.headers['www-authenticate']),
  document('the status of an error as number', /^status$/, isError(401), (body) => (body.status = 401)),
  { name: 'a wrong credential that is accepted', field: /^Authorization$/, request: acceptAll() },
  whole('an error as page', /^Content-Type$/, isError(404), (answer) => {
    answer.headers['content-type'] = 'text/html';
    answer.text = '<h1>Not found</h1>';
  }),
  whole('an error without a body', /^null$/, isError(404), (answer) => (answer.text = '')),
  document('a duplicate without scimType', /^scimType$/, isError(409), (body) => delete body.scimType),
  whole('another media type', /^Content-Type$/, isUser, (answer) => (answer.headers['content-type'] = 'application/json')),
  whole('a text that is cut', /^null$/, isUser, (answer) => (answer.text = answer.text.slice(0, -2))),
  whole('a redirect', /^Location$/, ({ method, path }) => method === 'GET' && path.startsWith('/Users/'), (answer) => {
    answer.status = 302;
    answer.headers['location'] = 'http://127.0.0.1:9/elsewhere';
    answer.text = '';
  }),
  swallowed('members that are not added', /^members$/, ({ op, path }) => op.toLowerCase() === 'add' && path === 'members'),
  swallowed('members that are not removed', /^members$/, ({ op, path }) => op.toLowerCase() === 'remove' && path.startsWith('members')),
  swallowed('a group that keeps its name', /^totalResults|displayName$/, (operation) => namesOf(operation, 'displayName')),
  document('members of another group', /^members$/, isGroup, (body) => (body.members = [...(body.members ?? []), { value: 'usr_other' }])),
  { name: 'deleted groups that stay', field: /./, request: ({ method, path }) => {
    if (method === 'DELETE' && path.startsWith('/Groups')) return { status: 204, headers: {}, text: '' };
  } },
  document('/Schemas without department', /department$/, ({ path }) => path === '/Schemas', (body) => {
    for (const schema of body.Resources) schema.attributes = schema.attributes.filter(({ name }: Document) => name !== 'department');
  }),
  document('/Schemas without groups', /^Group$/, ({ path }) => path === '/Schemas', (body) => {
    body.Resources = body.Resources.filter(({ id }: Document) => !id.endsWith(':Group'));
  }),
]; // prettier-ignore

/** Faults of requests that only `doctor` sends. */
export const DOCTOR_FAULTS: readonly Fault[] = [
  document('a feature that is not stated', /^patch\.supported$/, ({ path }) => path === '/ServiceProviderConfig', (body) => delete body.patch),
  document('no way to authenticate', /^authenticationSchemes$/, ({ path }) => path === '/ServiceProviderConfig', (body) => (body.authenticationSchemes = [])),
  document('a resource type of another schema', /^schema$/, ({ path }) => path === '/ResourceTypes', (body) => (body.Resources[0].schema = 'x')),
  document('a filter error without scimType', /^scimType$/, isError(400), (body) => delete body.scimType),
  { name: 'If-Match that is ignored', field: /^If-Match$/, request: (request) => void delete request.headers['if-match'] },
  { name: 'If-None-Match that is ignored', field: /^If-None-Match$/, request: (request) => void delete request.headers['if-none-match'] },
  { name: 'a projection that is ignored', field: /^attributes$/, request: (request) => {
    request.path = request.path.replace('&attributes=userName', '');
  } },
  { name: 'a removal that empties the group', field: /^members$/, request: (request) => {
    if (request.method === 'PATCH') request.body = request.body.replace(/("op":"Remove","path":"members"),"value":\[[^\]]*\]/, '$1');
  } },
]; // prettier-ignore

function empty(headers: Record<string, string>): PassingAnswer {
  const list = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  };
  return { status: 200, headers: { 'content-type': headers['accept']! }, text: JSON.stringify(list) };
}

/** Remembers the first credential, which is the right one, and sends it with every request. */
function acceptAll(): (request: PassingRequest) => void {
  let right: string | undefined;
  return (request) => {
    right ??= request.headers['authorization'];
    request.headers['authorization'] = right!;
  };
}
