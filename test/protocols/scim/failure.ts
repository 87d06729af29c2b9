import { ScimRequestError } from '../../../src/protocols/scim/scim.errors.js';

export interface Failure {
  readonly status: number;
  readonly scimType: string | undefined;
  readonly detail: string;
}

/** The refusal that `act` ends in. Anything else it may throw is a bug, and passes through. */
export function refusalOf(act: () => unknown): Failure {
  try {
    const answer = act();
    throw new Error(`was not refused: ${JSON.stringify(answer)}`);
  } catch (error) {
    if (!(error instanceof ScimRequestError)) throw error;
    return { status: error.status, scimType: error.scimType, detail: error.detail };
  }
}
