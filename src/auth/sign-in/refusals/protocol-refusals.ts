import { OidcRefused } from '../../../protocols/oidc/oidc-refused.js';
import { SamlRefused } from '../../../protocols/saml/saml-refused.js';
import { SignInRefused } from './sign-in-refused.js';

/** The errors that refuse a sign-in: those of this room and those of the protocols. */
export const SIGN_IN_REFUSALS = [SignInRefused, SamlRefused, OidcRefused] as const;

/**
 * Returns an error as a refusal of the sign-in.
 *
 * @returns null for an error that is not one of `SIGN_IN_REFUSALS`
 */
export function refusalIn(error: unknown): SignInRefused | null {
  if (error instanceof SignInRefused) return error;
  if (error instanceof SamlRefused || error instanceof OidcRefused) {
    return new SignInRefused(error.reason, error.message);
  }
  return null;
}
