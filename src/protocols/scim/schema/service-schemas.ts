import { RESOURCE_TYPE_URN, SCHEMA_URN, SPC_URN } from '../urns.js';
import { attribute, type Attribute, type AttributeSpec } from './attribute.js';

/** A schema of the service itself (RFC 7643 §8.7.2). It is read-only. */
export interface ServiceSchema {
  readonly urn: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

const read = (name: string, description: string, spec: AttributeSpec = {}): Attribute =>
  attribute(name, description, { mutability: 'readOnly', ...spec });

const flag = (name: string, description: string): Attribute =>
  read(name, description, { type: 'boolean', required: true });

const number = (name: string, description: string, required = true): Attribute =>
  read(name, description, { type: 'integer', required });

/** Defines a feature of the service: `supported`, and further attributes. */
const feature = (name: string, description: string, ...more: Attribute[]): Attribute =>
  read(name, description, {
    type: 'complex',
    required: true,
    subAttributes: [flag('supported', 'Whether it is offered.'), ...more],
  });

/** Defines the characteristics of attribute definitions (RFC 7643 §7), with or without sub-attributes. */
function definition(name: string, description: string, subAttributes: readonly Attribute[]): Attribute {
  const known = ['string', 'boolean', 'decimal', 'integer', 'dateTime', 'binary', 'reference', 'complex'];
  return read(name, description, {
    type: 'complex',
    multiValued: true,
    required: name === 'attributes',
    subAttributes: [
      read('name', 'The name.', { required: true, caseExact: true }),
      read('type', 'The data type.', { required: true, canonicalValues: known }),
      flag('multiValued', 'Whether there may be several values.'),
      read('description', 'What it is.'),
      read('required', 'Whether it must be there.', { type: 'boolean' }),
      read('canonicalValues', 'Suggested values.', { multiValued: true, caseExact: true }),
      read('caseExact', 'Whether case matters.', { type: 'boolean' }),
      read('mutability', 'Whether clients may write it.', {
        canonicalValues: ['readOnly', 'readWrite', 'immutable', 'writeOnly'],
      }),
      read('returned', 'When it is returned.', { canonicalValues: ['always', 'never', 'default', 'request'] }),
      read('uniqueness', 'Where it is unique.', { canonicalValues: ['none', 'server', 'global'] }),
      read('referenceTypes', 'The resource types of references.', { multiValued: true, caseExact: true }),
      ...subAttributes,
    ],
  });
}

/** The schemas of the discovery documents. */
export const SERVICE_SCHEMAS: readonly ServiceSchema[] = [
  {
    urn: SPC_URN,
    name: 'ServiceProviderConfig',
    description: 'The features of the service',
    attributes: [
      read('documentationUri', 'The address of the documentation.', {
        type: 'reference',
        referenceTypes: ['external'],
      }),
      feature('patch', 'PATCH.'),
      feature(
        'bulk',
        'Bulk requests.',
        number('maxOperations', 'Operations in one request.'),
        number('maxPayloadSize', 'Bytes in one request.'),
      ),
      feature('filter', 'Filters.', number('maxResults', 'Resources in one answer.')),
      feature('changePassword', 'Changing the password.'),
      feature('sort', 'Sorting.'),
      feature('etag', 'Entity tags.'),
      // RFC 9865 §4.
      read('pagination', 'Paging.', {
        type: 'complex',
        subAttributes: [
          flag('cursor', 'Whether lists have pages by cursor.'),
          flag('index', 'Whether lists have pages by index.'),
          read('defaultPaginationMethod', 'The default.', {
            canonicalValues: ['cursor', 'index'],
          }),
          number('defaultPageSize', 'Resources on a page without count.', false),
          number('maxPageSize', 'The most resources on a page.', false),
          number('cursorTimeout', 'Seconds for which a cursor is valid.', false),
        ],
      }),
      read('authenticationSchemes', 'How clients authenticate.', {
        type: 'complex',
        multiValued: true,
        required: true,
        subAttributes: [
          read('type', 'The scheme.', {
            required: true,
            canonicalValues: ['oauth', 'oauth2', 'oauthbearertoken', 'httpbasic', 'httpdigest'],
          }),
          read('name', 'Its name.', { required: true }),
          read('description', 'What it is.', { required: true }),
          read('specUri', 'The address of its specification.', {
            type: 'reference',
            referenceTypes: ['external'],
          }),
          read('documentationUri', 'The address of its documentation.', {
            type: 'reference',
            referenceTypes: ['external'],
          }),
          read('primary', 'Whether it is the preferred one.', { type: 'boolean' }),
        ],
      }),
    ],
  },
  {
    urn: RESOURCE_TYPE_URN,
    name: 'ResourceType',
    description: 'A kind of resource',
    attributes: [
      read('id', 'The identifier.'),
      read('name', 'The name.', { required: true }),
      read('description', 'What it is.'),
      read('endpoint', 'Where it is, seen from the base URL.', {
        type: 'reference',
        required: true,
        referenceTypes: ['uri'],
      }),
      read('schema', 'The URN of the base schema.', {
        type: 'reference',
        required: true,
        referenceTypes: ['uri'],
      }),
      // Multi-valued by erratum 7522.
      read('schemaExtensions', 'The extensions.', {
        type: 'complex',
        multiValued: true,
        subAttributes: [
          read('schema', 'The URN of the extension.', {
            type: 'reference',
            required: true,
            referenceTypes: ['uri'],
          }),
          flag('required', 'Whether every resource has it.'),
        ],
      }),
    ],
  },
  {
    urn: SCHEMA_URN,
    name: 'Schema',
    description: 'A schema',
    attributes: [
      read('id', 'The URN.', { required: true }),
      read('name', 'The name.'),
      read('description', 'What it describes.'),
      definition('attributes', 'The attributes.', [definition('subAttributes', 'The sub-attributes.', [])]),
    ],
  },
];
