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

export const invalidFilter = refusal(400, 'invalidFilter');
export const invalidPath = refusal(400, 'invalidPath');
export const invalidValue = refusal(400, 'invalidValue');
export const invalidSyntax = refusal(400, 'invalidSyntax');
export const noTarget = refusal(400, 'noTarget');
export const mutability = refusal(400, 'mutability');
export const tooMany = refusal(400, 'tooMany');
export const invalidCursor = refusal(400, 'invalidCursor');
export const expiredCursor = refusal(400, 'expiredCursor');
export const invalidCount = refusal(400, 'invalidCount');
export const uniqueness = refusal(409, 'uniqueness');
/** 413: more than the server takes; RFC 7644 names no scimType for it. */
export const payloadTooLarge = refusal(413);

export interface ScimErrorBody {
  readonly schemas: readonly string[];
  readonly status: string;
  readonly scimType?: ScimType;
  readonly detail: string;
}

/** The body of an error answer (RFC 7644 §3.12): `status` is a string there. */
export function scimErrorBody(status: number, detail: string, scimType?: ScimType): ScimErrorBody {
  return {
    schemas: [ERROR_URN],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail,
  };
}
