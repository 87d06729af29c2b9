import {
  resourceTypeDocuments,
  schemaDocuments,
  serviceProviderConfig,
  type ServiceFeatures,
} from '../../../../src/protocols/scim/schema/discovery.js';
import {
  findAttribute,
  GROUP_TYPE,
  RESOURCE_TYPES,
  USER_TYPE,
} from '../../../../src/protocols/scim/schema/resource-types.js';
import { ENTERPRISE_URN, GROUP_URN, USER_URN } from '../../../../src/protocols/scim/urns.js';

const BASE = 'https://x.example/scim/v2';
// What a document says is what each test is about.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- read field by field, as a client would
type Json = Record<string, any>;
const documents = schemaDocuments(BASE, RESOURCE_TYPES, { passwordInSchema: true }) as Json[];
const schema = (urn: string): Json => documents.find((each) => each.id === urn) ?? {};
const named = (list: Json[], name: string): Json => list.find((each) => each.name === name) ?? {};

describe('schemaDocuments', () => {
  it('has the six schemas, each a resource of its own', () => {
    expect(
      documents.map((each) => each.id as string).map((id) => id.replace('urn:ietf:params:scim:schemas:', '')),
    ).toEqual([
      'core:2.0:User',
      'core:2.0:Group',
      'extension:enterprise:2.0:User',
      'core:2.0:ServiceProviderConfig',
      'core:2.0:ResourceType',
      'core:2.0:Schema',
    ]);
    for (const each of documents) {
      expect(each.schemas).toEqual(['urn:ietf:params:scim:schemas:core:2.0:Schema']);
      expect(each.meta).toEqual({ resourceType: 'Schema', location: `${BASE}/Schemas/${each.id}` });
      expect(JSON.stringify(each)).not.toContain('null');
    }
  });

  it('describes userName as it is enforced', () => {
    expect(named(schema(USER_URN).attributes, 'userName')).toMatchObject({
      type: 'string',
      multiValued: false,
      required: true,
      caseExact: false,
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'server',
    });
  });

  it('lists every attribute of RFC 7643 §4.1 and §4.3', () => {
    expect(schema(USER_URN).attributes.map((each: Json) => each.name)).toEqual([
      'userName', 'name', 'displayName', 'nickName', 'profileUrl', 'title', 'userType', 'preferredLanguage', 'locale',
      'timezone', 'active', 'password', 'emails', 'phoneNumbers', 'ims', 'photos', 'addresses', 'groups', 'entitlements',
      'roles', 'x509Certificates',
    ]); // prettier-ignore
    expect(schema(ENTERPRISE_URN).attributes.map((each: Json) => each.name)).toEqual([
      'employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager',
    ]); // prettier-ignore
  });

  it('marks attributes that cannot be written', () => {
    const user = schema(USER_URN).attributes as Json[];
    expect(named(user, 'groups')).toMatchObject({ mutability: 'readOnly', multiValued: true });
    expect(named(user, 'password')).toMatchObject({ mutability: 'writeOnly', returned: 'never' });
    const manager = named(schema(ENTERPRISE_URN).attributes, 'manager');
    expect(named(manager.subAttributes, 'displayName').mutability).toBe('readOnly');
    expect(named(manager.subAttributes, 'value').caseExact).toBe(true);
    const members = named(schema(GROUP_URN).attributes, 'members');
    expect(members.mutability).toBe('readWrite');
    expect(members.subAttributes.map((each: Json) => [each.name, each.mutability])).toEqual([
      ['value', 'immutable'],
      ['$ref', 'immutable'],
      ['type', 'immutable'],
      ['display', 'immutable'],
    ]);
  });

  it('gives complex attributes parts, and neither case nor uniqueness', () => {
    for (const each of documents.flatMap((document) => document.attributes as Json[])) {
      expect('subAttributes' in each).toBe(each.type === 'complex');
      expect('uniqueness' in each).toBe(each.type !== 'complex');
    }
  });

  it('has no password when the profile has none', () => {
    const user = (schemaDocuments(BASE, RESOURCE_TYPES, { passwordInSchema: false }) as Json[])[0] ?? {};
    expect(named(user.attributes, 'password')).toEqual({});
    expect(named(user.attributes, 'userName')).not.toEqual({});
  });

  it('has every schema a resource type names', () => {
    for (const type of resourceTypeDocuments(BASE, RESOURCE_TYPES) as Json[]) {
      const extensions = (type.schemaExtensions ?? []) as Json[];
      for (const urn of [type.schema, ...extensions.map((each) => each.schema)]) expect(schema(urn).id).toBe(urn);
    }
  });
});

describe('resourceTypeDocuments', () => {
  it('has users and groups', () => {
    expect(resourceTypeDocuments(BASE, RESOURCE_TYPES)).toEqual([
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
        id: 'User',
        name: 'User',
        description: 'User account',
        endpoint: '/Users',
        schema: USER_URN,
        schemaExtensions: [{ schema: ENTERPRISE_URN, required: false }],
        meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/User` },
      },
      {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
        id: 'Group',
        name: 'Group',
        description: 'Group',
        endpoint: '/Groups',
        schema: GROUP_URN,
        meta: { resourceType: 'ResourceType', location: `${BASE}/ResourceTypes/Group` },
      },
    ]);
  });
});

describe('serviceProviderConfig', () => {
  const features: ServiceFeatures = {
    patch: true,
    bulk: { supported: true, maxOperations: 1000, maxPayloadSize: 4_194_304 },
    filter: { maxResults: 1000 },
    sort: true,
    etag: true,
    changePassword: false,
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: 100,
      maxPageSize: 1000,
      cursorTimeout: 3600,
    },
    authenticationSchemes: [{ type: 'oauthbearertoken', name: 'Bearer', description: 'A token' }],
  };

  it('lists the supported features', () => {
    expect(serviceProviderConfig(BASE, features)).toEqual({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: features.bulk,
      filter: { supported: true, maxResults: 1000 },
      changePassword: { supported: false },
      sort: { supported: true },
      etag: { supported: true },
      pagination: features.pagination,
      authenticationSchemes: features.authenticationSchemes,
      meta: { resourceType: 'ServiceProviderConfig', location: `${BASE}/ServiceProviderConfig` },
    });
  });

  it('has no member its schema does not declare', () => {
    const declared = schema('urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig').attributes as Json[];
    const document = serviceProviderConfig(BASE, { ...features, documentationUri: 'https://x' });
    for (const [name, value] of Object.entries(document)) {
      if (name === 'schemas' || name === 'meta') continue;
      const parts = Object.keys((Array.isArray(value) ? value[0] : value) as object);
      if (typeof value === 'object') {
        for (const part of parts) expect(named(named(declared, name).subAttributes, part).name).toBe(part);
      }
      expect(named(declared, name).name).toBe(name);
    }
  });
});

describe('findAttribute', () => {
  it.each<[string | null, string, string | undefined]>([
    [null, 'USERNAME', 'userName'],
    [null, 'externalid', 'externalId'],
    [null, 'Manager', 'manager'],
    [USER_URN.toUpperCase(), 'emails', 'emails'],
    [ENTERPRISE_URN, 'manager', 'manager'],
    [ENTERPRISE_URN, 'userName', undefined],
    [USER_URN, 'manager', undefined],
    [GROUP_URN, 'displayName', undefined],
    [null, 'members', undefined],
    [null, '__proto__', undefined],
    [null, 'constructor', undefined],
    [null, 'toString', undefined],
  ])('%s %s', (urn, name, expected) => {
    expect(findAttribute(USER_TYPE, urn, name)?.name).toBe(expected);
  });

  it('knows every attribute of every type by its name', () => {
    for (const type of RESOURCE_TYPES) {
      for (const each of type.schema.attributes) expect(findAttribute(type, type.schema.urn, each.name)).toBe(each);
    }
    expect(findAttribute(GROUP_TYPE, null, 'department')).toBeUndefined();
  });
});
