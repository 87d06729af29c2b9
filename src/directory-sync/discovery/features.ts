import type { ServiceFeatures } from '../../scim/schema/discovery.js';
import { BULK_LIMITS, LIST_LIMITS } from '../limits.js';
import { CURSOR_SECONDS } from '../resource-list.js';

/** What is really offered, from the very numbers that are enforced; a test compares the two. */
export function featuresOf(documentationUri: string): ServiceFeatures {
  return {
    documentationUri: `${documentationUri}/docs`,
    patch: true,
    bulk: { supported: true, ...BULK_LIMITS },
    filter: { maxResults: LIST_LIMITS.maxCount },
    sort: true,
    etag: true,
    changePassword: false,
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: LIST_LIMITS.defaultCount,
      maxPageSize: LIST_LIMITS.maxCount,
      cursorTimeout: CURSOR_SECONDS,
    },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Bearer token',
        description: 'A SCIM token of the directory, sent as Authorization: Bearer (RFC 6750).',
        specUri: 'https://www.rfc-editor.org/info/rfc6750',
        primary: true,
      },
    ],
  };
}
