import type { Attribute } from '../../protocols/scim/schema/attribute.js';
import {
  COMMON_ATTRIBUTES,
  GROUP_TYPE,
  USER_TYPE,
  type ResourceTypeDef,
} from '../../protocols/scim/schema/resource-types.js';
import {
  BULK_REQUEST_URN,
  BULK_RESPONSE_URN,
  ERROR_URN,
  LIST_RESPONSE_URN,
  PATCH_OP_URN,
  SEARCH_REQUEST_URN,
} from '../../protocols/scim/urns.js';

export type JsonSchema = Record<string, unknown>;

const TEXT: JsonSchema = { type: 'string' };
const WHOLE: JsonSchema = { type: 'integer', minimum: 0 };

export const scimRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const PATCH: Record<string, JsonSchema> = {
  Operations: {
    type: 'array',
    minItems: 1,
    items: {
      type: 'object',
      required: ['op'],
      properties: { op: { type: 'string', enum: ['add', 'replace', 'remove'] }, path: TEXT, value: {} },
      additionalProperties: true,
    },
  },
};

const SEARCH: Record<string, JsonSchema> = {
  filter: TEXT,
  sortBy: TEXT,
  sortOrder: { type: 'string', enum: ['ascending', 'descending'] },
  startIndex: { type: 'integer' },
  count: { type: 'integer' },
  cursor: TEXT,
  attributes: { type: 'array', items: TEXT },
  excludedAttributes: { type: 'array', items: TEXT },
};

const BULK_REQUEST: Record<string, JsonSchema> = {
  failOnErrors: { type: 'integer', minimum: 1 },
  Operations: {
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: {
      type: 'object',
      required: ['method', 'path'],
      properties: {
        method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
        path: TEXT,
        bulkId: TEXT,
        version: TEXT,
        data: { type: 'object', additionalProperties: true },
      },
    },
  },
};

const BULK_RESPONSE: Record<string, JsonSchema> = {
  Operations: {
    type: 'array',
    items: {
      type: 'object',
      required: ['method', 'status'],
      properties: {
        method: TEXT,
        bulkId: TEXT,
        version: TEXT,
        location: { type: 'string', format: 'uri' },
        status: TEXT,
        response: { type: 'object', additionalProperties: true },
      },
    },
  },
};

/** The SCIM messages as JSON Schemas, from the definitions of `/Schemas`. A profile may accept more. */
export function scimSchemas(): Record<string, JsonSchema> {
  return {
    ScimUser: resource(USER_TYPE),
    ScimGroup: resource(GROUP_TYPE),
    ScimUserList: list(scimRef('ScimUser')),
    ScimGroupList: list(scimRef('ScimGroup')),
    ScimList: list({ anyOf: [scimRef('ScimUser'), scimRef('ScimGroup')] }),
    ScimDocument: {
      type: 'object',
      properties: { schemas: { type: 'array', items: TEXT } },
      additionalProperties: true,
      required: ['schemas'],
    },
    ScimDocumentList: list(scimRef('ScimDocument')),
    ScimPatch: message(PATCH_OP_URN, PATCH),
    ScimSearch: message(SEARCH_REQUEST_URN, SEARCH),
    ScimBulkRequest: message(BULK_REQUEST_URN, BULK_REQUEST),
    ScimBulkResponse: message(BULK_RESPONSE_URN, BULK_RESPONSE),
    ScimError: {
      ...message(ERROR_URN, { status: TEXT, scimType: TEXT, detail: TEXT }),
      required: ['schemas', 'status'],
    },
  };
}

function message(urn: string, properties: Record<string, JsonSchema>): JsonSchema {
  const schemas = { type: 'array', items: { type: 'string', enum: [urn] } };
  return { type: 'object', properties: { schemas, ...properties } };
}

function list(items: JsonSchema): JsonSchema {
  return {
    ...message(LIST_RESPONSE_URN, {
      totalResults: WHOLE,
      itemsPerPage: WHOLE,
      startIndex: { type: 'integer', minimum: 1 },
      nextCursor: TEXT,
      Resources: { type: 'array', items },
    }),
    required: ['schemas', 'totalResults'],
  };
}

function resource({ schema, extensions, required }: ResourceTypeDef): JsonSchema {
  const properties: Record<string, JsonSchema> = { schemas: { type: 'array', items: TEXT } };
  for (const attribute of [...COMMON_ATTRIBUTES, ...schema.attributes]) {
    if (attribute.name !== 'schemas') properties[attribute.name] = attributeSchema(attribute);
  }
  for (const extension of extensions) properties[extension.schema.urn] = objectOf(extension.schema.attributes);
  return { type: 'object', properties, required: required.map(({ name }) => name) };
}

function attributeSchema(attribute: Attribute): JsonSchema {
  const one = attribute.type === 'complex' ? objectOf(attribute.subAttributes) : simple(attribute);
  const facts = {
    description: attribute.description,
    ...(attribute.mutability === 'readOnly' ? { readOnly: true } : {}),
    ...(attribute.mutability === 'writeOnly' ? { writeOnly: true } : {}),
  };
  return attribute.multiValued ? { type: 'array', items: one, ...facts } : { ...one, ...facts };
}

function objectOf(attributes: readonly Attribute[]): JsonSchema {
  return { type: 'object', properties: Object.fromEntries(attributes.map((one) => [one.name, attributeSchema(one)])) };
}

function simple({ type }: Attribute): JsonSchema {
  switch (type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer' };
    case 'decimal':
      return { type: 'number' };
    case 'dateTime':
      return { type: 'string', format: 'date-time' };
    case 'string':
    case 'reference':
    case 'binary':
    case 'complex':
      return TEXT;
  }
}
