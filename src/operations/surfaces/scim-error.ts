import type { ErrorKind } from '../../base/errors/domain-error.js';
import { scimErrorBody, type ScimErrorBody, type ScimType } from '../../protocols/scim/scim.errors.js';
import { API_STATUS } from './problem.js';
import type { Refusal } from './refusal.types.js';

/** What each kind of refusal is in SCIM (RFC 7644 §3.12): as in the API, but for what SCIM names otherwise. */
export const SCIM_STATUS: Record<ErrorKind, number> = { ...API_STATUS, invalid: 400, 'no-seat': 403 };

const TYPE_OF_KIND: Partial<Record<Refusal['kind'], ScimType>> = {
  malformed: 'invalidSyntax',
  invalid: 'invalidValue',
};

/** The SCIM face of a refusal. The field messages go into the detail: the RFC has no other place for them. */
export function scimError(refusal: Refusal): { status: number; body: ScimErrorBody } {
  const status = refusal.status ?? (refusal.kind === 'internal' ? 500 : SCIM_STATUS[refusal.kind]);
  // A refusal of the protocol itself has said its type, or that there is none.
  const type = refusal.extras.scimType ?? (refusal.status === undefined ? TYPE_OF_KIND[refusal.kind] : undefined);
  const fields = (refusal.extras.errors ?? []).map(({ field, message }) => ` ${field} ${message}.`).join('');
  return { status, body: scimErrorBody(status, refusal.detail + fields, type as ScimType | undefined) };
}
