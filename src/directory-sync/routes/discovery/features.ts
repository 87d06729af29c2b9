import type { ServiceFeatures } from '../../../protocols/scim/schema/discovery.js';
import { BULK_LIMITS, LIST_LIMITS } from '../limits.js';
import { CURSOR_SECONDS } from '../list-cursor.js';

/**
 * Returns the features of this service. All figures are the constants that the code enforces.
 *
 * @param withPagination false leaves out RFC 9865, which some clients refuse to read
 */
export function featuresOf(documentationUri: string, withPagination: boolean): ServiceFeatures {
  return {
    documentationUri: `${documentationUri}/docs`,
    patch: true,
    bulk: { supported: true, ...BULK_LIMITS },
    filter: { maxResults: LIST_LIMITS.maxCount },
    sort: true,
    etag: true,
    changePassword: false,
    ...(withPagination ? { pagination: PAGINATION } : {}),
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token of the directory, sent as Authorization: Bearer (RFC 6750).',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
      {
        type: 'oauth2',
        name: 'OAuth 2.0 client credentials',
        description: 'An access token of a client of the directory, from POST /oauth/token (RFC 6749 §4.4).',
        specUri: 'https://www.rfc-editor.org/info/rfc6749',
        primary: false,
      },
    ],
  };
}

const PAGINATION = {
  cursor: true,
  index: true,
  defaultPaginationMethod: 'index',
  defaultPageSize: LIST_LIMITS.defaultCount,
  maxPageSize: LIST_LIMITS.maxCount,
  cursorTimeout: CURSOR_SECONDS,
} as const;
