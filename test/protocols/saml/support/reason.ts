import { SamlRefused } from '../../../../src/protocols/saml/saml-refused.js';

/** The reason with which a synchronous step refuses; null: it does not. */
export function reasonOf(step: () => unknown): string | null {
  try {
    step();
    return null;
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}
