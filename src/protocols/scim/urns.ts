// The URNs of SCIM 2.0: schemas (RFC 7643 §10.3) and protocol messages (RFC 7644 §3.1).

const SCHEMAS = 'urn:ietf:params:scim:schemas';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';

/** The schema of users. */
export const USER_URN = `${SCHEMAS}:core:2.0:User`;

/** The schema of groups. */
export const GROUP_URN = `${SCHEMAS}:core:2.0:Group`;

/** The enterprise extension of users. */
export const ENTERPRISE_URN = `${SCHEMAS}:extension:enterprise:2.0:User`;

/** The extension of users with a customer's own attributes. */
export const CUSTOM_URN = `${SCHEMAS}:extension:custom:2.0:User`;

/** The schema of the ServiceProviderConfig. */
export const SPC_URN = `${SCHEMAS}:core:2.0:ServiceProviderConfig`;

/** The schema of resource types. */
export const RESOURCE_TYPE_URN = `${SCHEMAS}:core:2.0:ResourceType`;

/** The schema of schemas. */
export const SCHEMA_URN = `${SCHEMAS}:core:2.0:Schema`;

/** The message of a PATCH. */
export const PATCH_OP_URN = `${MESSAGES}:PatchOp`;

/** The message of a list. */
export const LIST_RESPONSE_URN = `${MESSAGES}:ListResponse`;

/** The message of a search. */
export const SEARCH_REQUEST_URN = `${MESSAGES}:SearchRequest`;

/** The message of a bulk request. */
export const BULK_REQUEST_URN = `${MESSAGES}:BulkRequest`;

/** The message of a bulk answer. */
export const BULK_RESPONSE_URN = `${MESSAGES}:BulkResponse`;

/** The message of an error. */
export const ERROR_URN = `${MESSAGES}:Error`;
