import type { OidcSignIn } from '../../../protocols/oidc/oidc-sign-in.js';
import type { SamlSignIn } from '../../../protocols/saml/saml-sign-in.js';
import type { VerifiedSignIn } from './verified-sign-in.js';

/** Restates what an OpenID provider said in the words that both protocols share. */
export function fromOidc(signIn: OidcSignIn): VerifiedSignIn {
  // A code works once at the IdP, so no second use of the answer is possible.
  return { ...signIn, nameId: null, once: null };
}

/** Restates what a SAML IdP said in the words that both protocols share. */
export function fromSaml(signIn: SamlSignIn): VerifiedSignIn {
  return { ...signIn, idToken: null };
}
