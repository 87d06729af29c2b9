import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsFile, operationsOf } from '../../../src/cli/reference/operations.mapping.js';

const page = { type: 'object', properties: { data: {}, next_cursor: {} } };
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const DOCUMENT = {
  paths: {
    '/scim/v2/Users': { get: { responses: {} } },
    '/api/v1/things/{thing_id}/act': {
      post: {
        summary: 'Acts.',
        security: [{ operator_token: [] }],
        parameters: [
          { name: 'thing_id', in: 'path', required: true, description: 'The id\n of it.' },
          { name: 'Idempotency-Key', in: 'header' },
        ],
        requestBody: json({ $ref: '#/components/schemas/Act' }),
        responses: { '202': json({ $ref: '#/components/schemas/TaskBody' }) },
      },
    },
    '/api/v1/things': {
      get: {
        summary: 'Things',
        security: [{ api_key: [] }],
        parameters: [
          { name: 'state', in: 'query', description: 'Which.', schema: { type: 'string', enum: ['a', 'b'] } },
          { name: 'bom', in: 'query', required: true, schema: { type: 'string', enum: ['true', 'false'] } },
        ],
        responses: { '200': json(page) },
      },
    },
  },
  components: {
    schemas: {
      TaskBody: { type: 'object' },
      Inner: { type: 'object', properties: { count: { type: ['integer', 'null'] } }, required: ['count'] },
      Act: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', description: 'Its name.' },
          note: { type: 'string', nullable: true },
          on: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          rules: { type: 'array', items: { type: 'object' } },
          free: { type: 'object', additionalProperties: true },
          inner: { allOf: [{ $ref: '#/components/schemas/Inner' }], description: 'Inside.' },
        },
      },
    },
  },
} as unknown as OpenAPIObject; // The parts that the mapping does not read are left out.

it('reads operations below /api/v1 with their fields, in the order of their addresses', () => {
  expect(operationsOf(DOCUMENT)).toEqual([
    {
      call: 'GET /things',
      about: 'Things',
      list: true,
      params: [],
      query: [
        { name: 'state', type: 'text', about: 'Which', choices: ['a', 'b'] },
        { name: 'bom', type: 'boolean', about: '', choices: ['true', 'false'], required: true },
      ],
      body: null,
    },
    {
      call: 'POST /things/{thing_id}/act',
      about: 'Acts',
      operator: true,
      task: true,
      params: [{ name: 'thing_id', about: 'The id of it' }],
      query: [],
      body: [
        { name: 'name', type: 'text', about: 'Its name', required: true },
        { name: 'note', type: 'text', about: '', nullable: true },
        { name: 'on', type: 'boolean', about: '' },
        { name: 'tags', type: 'list', about: '' },
        { name: 'rules', type: 'json', about: '' },
        { name: 'free', type: 'json', about: '' },
        { name: 'inner.count', type: 'number', about: '', nullable: true },
      ],
    },
  ]);
});

it('writes one line for each operation', () => {
  const text = operationsFile(operationsOf(DOCUMENT));
  expect(text.split('\n')).toHaveLength(5);
  expect(JSON.parse(text)).toEqual(operationsOf(DOCUMENT));
});
