import type { ScimErrorBody } from '../../scim/scim.errors.js';

/** Turns whatever was thrown into the error of one bulk operation. The surfaces, which sit above, know how. */
export abstract class RefusalFace {
  abstract scimError(thrown: unknown): { status: number; body: ScimErrorBody };
}
