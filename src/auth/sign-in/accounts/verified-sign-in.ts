import type { OidcSignIn } from '../../../protocols/oidc/oidc-settings.js';
import type { NameId, SamlSignIn } from '../../../protocols/saml/saml-settings.js';

/** What an IdP says about a person: verified, and not matched with a user yet. */
export interface VerifiedSignIn {
  /** The IdP's name for the person, compared letter by letter: `sub` (OIDC), the NameID or the `subject_claim` (SAML). */
  subject: string;
  /** Claims by name (OIDC), or attributes by `Name` and `FriendlyName` (SAML): one value is a string, several are a list. */
  claims: Readonly<Record<string, unknown>>;
  /** SAML: the claims that came by a FriendlyName alone. They must not decide the identity. */
  unsureNames?: ReadonlySet<string>;
  /** SAML: the attributes that were left out, each with the reason. */
  leftOut?: readonly string[];
  /** OIDC: why the claims hold nothing of UserInfo although the connection wants it; null: they do. */
  userInfoProblem?: string | null;
  /** Why the answer does not prove the new authentication that was asked for; null: it does, or none was. */
  staleness?: string | null;
  /** Which part was signed and with which key: text for an admin. */
  signature?: string;
  /** When the IdP issued it, by the clock of the IdP (`iat`, `IssueInstant`). */
  issuedAt: Date;
  /** When the user authenticated at the IdP (`auth_time`, `AuthnInstant`), by its clock; null: it does not state that. */
  authenticatedAt: Date | null;
  /** When the IdP wants the session to end at the latest (`SessionNotOnOrAfter`, `session_expiry`). */
  sessionEnds: Date | null;
  /** The IdP's own session: `sid` (OIDC), `SessionIndex` (SAML). */
  idpSession: string | null;
  /** SAML: further sessions of the IdP by which it may end this one. */
  otherIdpSessions?: readonly string[];
  /** How the person authenticated: `acr` (OIDC), `AuthnContextClassRef` (SAML). */
  authContext: string | null;
  /** The ID token as it came, for RP-initiated logout; null of SAML. */
  idToken: string | null;
  /** null for OIDC. */
  nameId: NameId | null;
  /** The id to store until this time, so that a second use of the message is refused; null of OIDC, whose code works once. */
  once: { id: string; until: Date } | null;
}

/** Restates what an OpenID provider said in the words that both protocols share. */
export function fromOidc(signIn: OidcSignIn): VerifiedSignIn {
  // A code works once at the IdP, so no second use of the answer is possible.
  return { ...signIn, nameId: null, once: null };
}

/** Restates what a SAML IdP said in the words that both protocols share. */
export function fromSaml(signIn: SamlSignIn): VerifiedSignIn {
  return { ...signIn, idToken: null };
}
