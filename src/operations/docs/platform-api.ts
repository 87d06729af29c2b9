import type { OpenAPIObject } from '@nestjs/swagger';

// The API that a hiring platform offers to this service. It is a contract for others, written by hand; `platform test
// --write` plays it.

type Schema = Record<string, unknown>;
type Responses = Record<string, object>;

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });
const json = (schema: Schema, example?: unknown): object => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
});
const USER = { $ref: '#/components/schemas/User' };
const EXAMPLE = {
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Other',
  role: 'User',
  external_id: '00u1ab2cd3ef4GH5ij6',
};

const FIELDS: Schema = {
  email: text('Unique among active users, without regard to case.', { format: 'email', maxLength: 320 }),
  first_name: text('Never empty.', { maxLength: 200 }),
  last_name: text('Can be empty: a user of one name.', { maxLength: 200 }),
  role: text('A role of the tenant’s catalogue, such as User or Admin.', { maxLength: 200 }),
  external_id: text('The user’s id at the IdP, with regard to case; unique where present.', { maxLength: 512 }),
};

const HEADERS = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    schema: { type: 'string', maxLength: 255 },
    description: 'The name of the call, the same over all repetitions. The same key comes with the same bytes.',
  },
  {
    name: 'traceparent',
    in: 'header',
    required: false,
    schema: { type: 'string' },
    description: 'W3C Trace Context: one trace over all repetitions of a call.',
  },
];
const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 255 } };

const REFUSALS: Responses = {
  '401': { description: 'Pauses forwarding until the key or address changes. 403 does the same.' },
  '429': { description: 'Repeats later; `Retry-After` is honoured up to an hour. 408, 425 and 5xx do the same.' },
  default: {
    description: 'Any other 4xx parks the change of this user, with the first 1 KiB of the body as the reason.',
    content: json({ type: 'object' }),
  },
};

function operation(summary: string, parts: object, own: Responses): object {
  return { summary, ...parts, responses: { ...own, ...REFUSALS } };
}

function query(name: string, description: string, required = false): object {
  return { name, in: 'query', required, schema: { type: 'string' }, description };
}

const PATHS = {
  '/v1/users': {
    post: operation(
      'Creates a user',
      {
        operationId: 'createUser',
        tags: ['users'],
        parameters: HEADERS,
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/NewUser' }, EXAMPLE) },
      },
      {
        '201': {
          description: 'Created. 200 counts as well. The `id` is kept and is part of all later calls.',
          content: json(USER, { id: 'hp_7f3c', ...EXAMPLE, status: 'active' }),
        },
        '409': {
          description:
            'A user has this `external_id` or `email`. With the `id` of that user the look-up needs one call less. ' +
            'The account is adopted by `external_id`, else by `email` where it has no other `external_id`.',
          content: json({ type: 'object', properties: { id: text('the user in the way') } }, { id: 'hp_7f3c' }),
        },
      },
    ),
    get: operation(
      'Lists users: by e-mail to find an account, by pages for an import',
      {
        operationId: 'listUsers',
        tags: ['users'],
        parameters: [
          query('email', 'Only users with this e-mail, without regard to case; inactive ones too.'),
          query('limit', 'The most that a page holds; an import asks for 100.'),
          query('cursor', 'The next_cursor of the page before.'),
        ],
      },
      { '200': { description: 'A page.', content: json({ $ref: '#/components/schemas/Page' }) } },
    ),
  },
  '/v1/users/{id}': {
    patch: operation(
      'Updates, deactivates or reactivates a user',
      {
        operationId: 'updateUser',
        tags: ['users'],
        description:
          'An update carries the whole user, so that a repetition does no harm. A deactivation is `{"status":"inactive"}`. ' +
          'A reactivation is an update with `"status":"active"`.',
        parameters: [ID, ...HEADERS],
        requestBody: { required: true, content: json({ $ref: '#/components/schemas/UserChange' }) },
      },
      {
        '200': { description: 'Done. 204, and any 2xx without a body, count as well.', content: json(USER) },
        '404': { description: 'The id is looked up. An active user is created again; a leaver is done.' },
        '409': {
          description: 'Another user has the e-mail. The change waits for that user’s change, else it parks.',
        },
      },
    ),
    delete: operation(
      'Deletes a user',
      { operationId: 'deleteUser', tags: ['users'], parameters: [ID, ...HEADERS] },
      {
        '204': { description: 'Done. Any 2xx counts.' },
        '404': { description: 'Done, once the look-up says `found: false`.' },
      },
    ),
    get: operation(
      'One user; asked only where a 409 named it',
      { operationId: 'getUser', tags: ['users'], parameters: [ID] },
      { '200': { description: 'The user.', content: json(USER) }, '404': { description: 'No such user.' } },
    ),
  },
  '/v1/resolve': {
    get: operation(
      'Says which user has an external_id',
      {
        operationId: 'resolveUser',
        tags: ['users'],
        parameters: [query('type', 'Always `user`.', true), query('external_id', 'The id at the IdP.', true)],
      },
      {
        '200': {
          description: 'Always 200. A 404 is not believed: any proxy can answer one.',
          content: json({ $ref: '#/components/schemas/Resolved' }, { found: true, id: 'hp_7f3c', type: 'user' }),
        },
      },
    ),
  },
};

const SCHEMAS = {
  NewUser: {
    type: 'object',
    required: ['email', 'first_name', 'last_name'],
    properties: FIELDS,
    description: 'What a user does not have is left out. A new user is active.',
  },
  UserChange: {
    type: 'object',
    properties: {
      ...withNulls(FIELDS, ['role', 'external_id']),
      status: text('Only when it changes.', { enum: ['active', 'inactive'] }),
    },
  },
  User: {
    type: 'object',
    required: ['id'],
    properties: {
      id: {
        type: ['string', 'integer'],
        description: 'The platform’s id: text of 1 to 255 characters, or a whole number.',
      },
      ...withNulls(FIELDS, Object.keys(FIELDS)),
      status: text('Missing means active; another word means inactive.', { enum: ['active', 'inactive'] }),
    },
  },
  Page: {
    type: 'object',
    required: ['data'],
    properties: {
      data: { type: 'array', items: USER },
      next_cursor: { type: ['string', 'null'], description: 'null: the last page.' },
    },
  },
  Resolved: {
    type: 'object',
    required: ['found'],
    properties: {
      found: { type: 'boolean' },
      id: { type: ['string', 'integer', 'null'], description: 'Of the user; null where none is found.' },
      type: { type: 'string' },
    },
  },
};

export function platformApi(): OpenAPIObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Users API of a hiring platform, as talent-bridge calls it',
      version: '1',
      description: 'For who builds the platform. The page /docs/platform says what each answer does.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'https://api.platform.example.com', description: 'the base_url of the platform connection' }],
    security: [{ key: [] }],
    tags: [{ name: 'users', description: 'Users of one customer: the key decides which.' }],
    paths: PATHS,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'The api_key of the platform connection: one for each customer.',
        },
      },
      schemas: SCHEMAS,
    },
    // The types of @nestjs/swagger are those of OpenAPI 3.0; this document is 3.1 (`license.identifier`, lists of types).
  } as unknown as OpenAPIObject;
}

/** The same fields, some of which can be null. */
function withNulls(fields: Schema, names: readonly string[]): Schema {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) =>
      names.includes(name) ? [name, { ...(schema as Schema), type: ['string', 'null'] }] : [name, schema],
    ),
  );
}
