import { RESOURCE_TYPE_URN, SCHEMA_URN, SPC_URN } from '../urns.js';
import type { Attribute } from './attribute.js';
import type { Resource, ResourceTypeDef } from './resource-types.js';
import { SERVICE_SCHEMAS, type ServiceSchema } from './service-schemas.js';

/** The features of the service. */
export interface ServiceFeatures {
  readonly patch: boolean;
  readonly bulk: {
    readonly supported: boolean;
    /** Never 0: authentik cuts its PATCH operations to this size. */
    readonly maxOperations: number;
    readonly maxPayloadSize: number;
  };
  readonly filter: { readonly maxResults: number };
  readonly sort: boolean;
  readonly etag: boolean;
  readonly changePassword: boolean;
  readonly pagination?: {
    readonly cursor: boolean;
    readonly index: boolean;
    readonly defaultPaginationMethod: 'cursor' | 'index';
    readonly defaultPageSize: number;
    readonly maxPageSize: number;
    readonly cursorTimeout: number;
  };
  readonly authenticationSchemes: readonly AuthenticationScheme[];
  readonly documentationUri?: string;
}

/** An entry of `authenticationSchemes` (RFC 7643 §5). */
interface AuthenticationScheme {
  readonly type: 'oauth' | 'oauth2' | 'oauthbearertoken' | 'httpbasic' | 'httpdigest';
  readonly name: string;
  readonly description: string;
  readonly specUri?: string;
  readonly documentationUri?: string;
  readonly primary?: boolean;
}

/**
 * Returns the documents of /Schemas (RFC 7643 §7): users, groups, extensions, and the three that describe the service.
 *
 * @param baseUrl of the directory, without a slash at its end
 * @param types the resource types as the directory has them
 */
export function schemaDocuments(
  baseUrl: string,
  types: readonly ResourceTypeDef[],
  { passwordInSchema }: { readonly passwordInSchema: boolean },
): Resource[] {
  const schemas: readonly ServiceSchema[] = [
    ...types.map((type) => type.schema),
    ...types.flatMap((type) => type.extensions.map((each) => each.schema)),
    ...SERVICE_SCHEMAS,
  ];
  return schemas.map(({ urn, name, description, attributes }) => ({
    schemas: [SCHEMA_URN],
    id: urn,
    name,
    description,
    attributes: attributes
      .filter((each) => passwordInSchema || each.returned !== 'never')
      .map((each) => attributeDocument(each)),
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${urn}` },
  }));
}

/** Returns the documents of /ResourceTypes (RFC 7643 §6). */
export function resourceTypeDocuments(baseUrl: string, types: readonly ResourceTypeDef[]): Resource[] {
  return types.map(({ name, description, endpoint, schema, extensions }) => ({
    schemas: [RESOURCE_TYPE_URN],
    id: name,
    name,
    description,
    endpoint,
    schema: schema.urn,
    ...(extensions.length === 0
      ? {}
      : {
          schemaExtensions: extensions.map((each) => ({ schema: each.schema.urn, required: each.required })),
        }),
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  }));
}

/** Returns the document of /ServiceProviderConfig (RFC 7643 §5, RFC 9865 §4). */
export function serviceProviderConfig(baseUrl: string, features: ServiceFeatures): Resource {
  return {
    schemas: [SPC_URN],
    ...(features.documentationUri === undefined ? {} : { documentationUri: features.documentationUri }),
    patch: { supported: features.patch },
    bulk: { ...features.bulk },
    filter: { supported: true, maxResults: features.filter.maxResults },
    changePassword: { supported: features.changePassword },
    sort: { supported: features.sort },
    etag: { supported: features.etag },
    ...(features.pagination === undefined ? {} : { pagination: { ...features.pagination } }),
    authenticationSchemes: features.authenticationSchemes.map((each) => ({ ...each })),
    meta: { resourceType: 'ServiceProviderConfig', location: `${baseUrl}/ServiceProviderConfig` },
  };
}

/** Returns the definition of an attribute without nulls; characteristics that do not apply to its type are left out. */
function attributeDocument(attribute: Attribute): Resource {
  const { type, subAttributes, canonicalValues, referenceTypes } = attribute;
  // A complex attribute has no `caseExact` and no `uniqueness` (erratum 6004).
  const simple = type === 'complex' ? {} : { caseExact: attribute.caseExact, uniqueness: attribute.uniqueness };
  return {
    name: attribute.name,
    type,
    multiValued: attribute.multiValued,
    description: attribute.description,
    required: attribute.required,
    ...simple,
    mutability: attribute.mutability,
    returned: attribute.returned,
    ...(canonicalValues === null ? {} : { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes === null ? {} : { referenceTypes: [...referenceTypes] }),
    ...(type === 'complex' ? { subAttributes: subAttributes.map((each) => attributeDocument(each)) } : {}),
  };
}
