import { ERROR_URN } from './urns.js';

/** The `scimType` values of RFC 7644 §3.12 (table 9) and RFC 9865 §2.1. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive'
  | 'invalidCursor'
  | 'expiredCursor'
  | 'invalidCount';

/** A request that the protocol refuses. `detail` is safe to show to the client. */
export class ScimRequestError extends Error {
  readonly status: number;
  readonly detail: string;
  readonly scimType: ScimType | undefined;

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.name = 'ScimRequestError';
    this.status = status;
    this.detail = detail;
    this.scimType = scimType;
  }
}

const refusal =
  (status: number, scimType?: ScimType) =>
  (detail: string): ScimRequestError =>
    new ScimRequestError(status, detail, scimType);

/** Returns a refusal of a filter. */
export const invalidFilter = refusal(400, 'invalidFilter');

/** Returns a refusal of an attribute path. */
export const invalidPath = refusal(400, 'invalidPath');

/** Returns a refusal of a value. */
export const invalidValue = refusal(400, 'invalidValue');

/** Returns a refusal of a message. */
export const invalidSyntax = refusal(400, 'invalidSyntax');

/** Returns a refusal of a path that selects nothing. */
export const noTarget = refusal(400, 'noTarget');

/** Returns a refusal of a write to a read-only or immutable attribute. */
export const mutability = refusal(400, 'mutability');

/** Returns a refusal of a request with too many results. */
export const tooMany = refusal(400, 'tooMany');

/** Returns a refusal of a cursor (RFC 9865 §2.1). */
export const invalidCursor = refusal(400, 'invalidCursor');

/** Returns a refusal of an old cursor (RFC 9865 §2.1). */
export const expiredCursor = refusal(400, 'expiredCursor');

/** Returns a refusal of a page size (RFC 9865 §2.1). */
export const invalidCount = refusal(400, 'invalidCount');

/** Returns a refusal of a value that another resource has (409). */
export const uniqueness = refusal(409, 'uniqueness');
/** Returns a 413 refusal; RFC 7644 has no scimType for it. */
export const payloadTooLarge = refusal(413);

/** The body of an error answer (RFC 7644 §3.12). */
export interface ScimErrorBody {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: ScimType;
  readonly detail: string;
}

/** Returns the body of an error answer (RFC 7644 §3.12): `status` is a string. */
export function scimErrorBody(status: number, detail: string, scimType?: ScimType): ScimErrorBody {
  return {
    schemas: [ERROR_URN],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  };
}
