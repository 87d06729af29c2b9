// The URNs of SCIM 2.0: schemas (RFC 7643 §10.3) and protocol messages (RFC 7644 §3.1).

const SCHEMAS = 'urn:ietf:params:scim:schemas';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';

export const USER_URN = `${SCHEMAS}:core:2.0:User`;
export const GROUP_URN = `${SCHEMAS}:core:2.0:Group`;
export const ENTERPRISE_URN = `${SCHEMAS}:extension:enterprise:2.0:User`;
export const SPC_URN = `${SCHEMAS}:core:2.0:ServiceProviderConfig`;
export const RESOURCE_TYPE_URN = `${SCHEMAS}:core:2.0:ResourceType`;
export const SCHEMA_URN = `${SCHEMAS}:core:2.0:Schema`;

export const PATCH_OP_URN = `${MESSAGES}:PatchOp`;
export const LIST_RESPONSE_URN = `${MESSAGES}:ListResponse`;
export const SEARCH_REQUEST_URN = `${MESSAGES}:SearchRequest`;
export const BULK_REQUEST_URN = `${MESSAGES}:BulkRequest`;
export const BULK_RESPONSE_URN = `${MESSAGES}:BulkResponse`;
export const ERROR_URN = `${MESSAGES}:Error`;
