import type { ScimErrorBody } from '../../../protocols/scim/scim.errors.js';

/** Converts an error into the error of one bulk operation. The `surfaces` room implements it. */
export abstract class RefusalFace {
  abstract scimError(thrown: unknown): { status: number; body: ScimErrorBody };
}
