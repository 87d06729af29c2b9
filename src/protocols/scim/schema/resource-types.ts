import { CUSTOM_URN, ENTERPRISE_URN, GROUP_URN, USER_URN } from '../urns.js';
import { attribute, byName, lookUp, type Attribute } from './attribute.js';
import { GROUP_ATTRIBUTES } from './group.schema.js';
import { USER_ATTRIBUTES, ENTERPRISE_ATTRIBUTES, customAttributes, type CustomAttribute } from './user.schema.js';

/** A schema (RFC 7643 §7). */
export interface SchemaDef {
  readonly urn: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
  /** By exact and by lower-case name. A core schema includes the common attributes. */
  readonly byName: ReadonlyMap<string, Attribute>;
}

/** An extension of a resource type. */
interface SchemaExtension {
  readonly schema: SchemaDef;
  readonly required: boolean;
}

/** A resource type (RFC 7643 §6), with look-ups for reading requests. */
export interface ResourceTypeDef {
  readonly name: 'User' | 'Group';
  readonly endpoint: '/Users' | '/Groups';
  readonly description: string;
  readonly schema: SchemaDef;
  readonly extensions: readonly SchemaExtension[];
  readonly required: readonly Attribute[];
  /** Attributes of the extensions by their short name, for clients that omit the URN. */
  readonly extensionByName: ReadonlyMap<string, Attribute>;
  /** The core schema and the extensions, by URN as written and in lower case. */
  readonly schemaByUrn: ReadonlyMap<string, SchemaDef>;
}

/** A resource: plain JSON, with names of its schemas only. */
export type Resource = Record<string, unknown>;

/** The attributes of every resource (RFC 7643 §3.1). No schema document lists them. */
export const COMMON_ATTRIBUTES: readonly Attribute[] = [
  attribute('schemas', 'The schemas of the resource.', {
    type: 'reference',
    multiValued: true,
    required: true,
    returned: 'always',
    referenceTypes: ['uri'],
    // URNs are compared case-insensitively.
    caseExact: false,
  }),
  attribute('id', 'The identifier that the server assigns.', {
    caseExact: true,
    mutability: 'readOnly',
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'The identifier that the client assigns.', {
    caseExact: true,
    maxLength: 512,
  }),
  attribute('meta', 'Metadata of the resource.', {
    type: 'complex',
    mutability: 'readOnly',
    subAttributes: [
      attribute('resourceType', 'The resource type.', { caseExact: true, mutability: 'readOnly' }),
      attribute('created', 'When it was created.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('lastModified', 'When it last changed.', { type: 'dateTime', mutability: 'readOnly' }),
      attribute('location', 'Its URI.', { type: 'reference', mutability: 'readOnly' }),
      attribute('version', 'Its entity tag.', { caseExact: true, mutability: 'readOnly' }),
    ],
  }),
];

/** The resource type of users (RFC 7643 §4.1, §4.3). */
export const USER_TYPE: ResourceTypeDef = resourceType('User', '/Users', 'User account', {
  schema: coreSchema(USER_URN, 'User', 'User account', USER_ATTRIBUTES),
  extensions: [
    {
      schema: extensionSchema(ENTERPRISE_URN, 'EnterpriseUser', 'Enterprise user', ENTERPRISE_ATTRIBUTES),
      required: false,
    },
  ],
});

/** Returns the resource type of users in a directory that declares attributes of the customer's own. */
export function userTypeWith(declared: readonly CustomAttribute[]): ResourceTypeDef {
  if (declared.length === 0) return USER_TYPE;
  const schema = extensionSchema(CUSTOM_URN, 'CustomUser', 'Attributes of this directory', customAttributes(declared));
  const { name, endpoint, description } = USER_TYPE;
  return resourceType(name, endpoint, description, {
    schema: USER_TYPE.schema,
    extensions: [...USER_TYPE.extensions, { schema, required: false }],
  });
}

/** The resource type of groups (RFC 7643 §4.2). */
export const GROUP_TYPE: ResourceTypeDef = resourceType('Group', '/Groups', 'Group', {
  schema: coreSchema(GROUP_URN, 'Group', 'Group', GROUP_ATTRIBUTES),
  extensions: [],
});

/** All resource types. */
export const RESOURCE_TYPES: readonly ResourceTypeDef[] = [USER_TYPE, GROUP_TYPE];

/**
 * Finds the attribute of a path (RFC 7644 §3.10). Without a URN: a core or common attribute, else one of an extension,
 * since Entra ID sends plain `manager`.
 */
export function findAttribute(type: ResourceTypeDef, urn: string | null, name: string): Attribute | undefined {
  if (urn === null) return lookUp(type.schema.byName, name) ?? lookUp(type.extensionByName, name);
  const schema = findSchema(type, urn);
  return schema === undefined ? undefined : lookUp(schema.byName, name);
}

/** Finds a schema by its URN, in any case (RFC 7644 §3.10). */
export function findSchema(type: ResourceTypeDef, urn: string): SchemaDef | undefined {
  return type.schemaByUrn.get(urn) ?? type.schemaByUrn.get(urn.toLowerCase());
}

/** Returns the canonical spelling of a path, e.g. `name.familyName` or `urn:…:User:manager.value`. */
export function attributePathOf(top: Attribute, sub?: Attribute | null): string {
  const name = sub == null ? top.name : `${top.name}.${sub.name}`;
  return top.extension === null ? name : `${top.extension}:${name}`;
}

/** Returns the value of `schemas`: the core schema, and the extensions that the resource uses (RFC 7643 §3). */
export function schemasInUse(type: ResourceTypeDef, resource: Resource): string[] {
  const schemas = [type.schema.urn];
  for (const { schema } of type.extensions) {
    if (resource[schema.urn] !== undefined) schemas.push(schema.urn);
  }
  return schemas;
}

function coreSchema(urn: string, name: string, description: string, attributes: readonly Attribute[]): SchemaDef {
  return { urn, name, description, attributes, byName: byName([...COMMON_ATTRIBUTES, ...attributes]) };
}

function extensionSchema(urn: string, name: string, description: string, own: readonly Attribute[]): SchemaDef {
  const attributes = own.map((each) => ({ ...each, extension: urn }));
  return { urn, name, description, attributes, byName: byName(attributes) };
}

function resourceType(
  name: 'User' | 'Group',
  endpoint: '/Users' | '/Groups',
  description: string,
  schemas: Pick<ResourceTypeDef, 'schema' | 'extensions'>,
): ResourceTypeDef {
  const all = [schemas.schema, ...schemas.extensions.map((each) => each.schema)];
  return {
    name,
    endpoint,
    description,
    ...schemas,
    required: schemas.schema.attributes.filter((each) => each.required),
    extensionByName: byName(schemas.extensions.flatMap((each) => each.schema.attributes)),
    schemaByUrn: new Map(
      all.flatMap((each) => [
        [each.urn, each],
        [each.urn.toLowerCase(), each],
      ]),
    ),
  };
}
