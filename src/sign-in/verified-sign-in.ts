/** A NameID as the IdP wrote it; single logout has to name the person in the very same words. */
export interface NameId {
  value: string;
  format: string | null;
  nameQualifier: string | null;
  spNameQualifier: string | null;
}

/**
 * What an IdP has said about somebody, after everything about it was verified. Nothing in here has been matched with a
 * person yet.
 */
export interface VerifiedSignIn {
  /** The IdP's name for the person, compared letter by letter: `sub` (OIDC), the NameID or the `subject_claim` (SAML). */
  subject: string;
  /**
   * Claims by name. Of SAML, attributes by `Name` (and by `FriendlyName` where that is not a name already): one value
   * is a string, several are a list.
   */
  claims: Readonly<Record<string, unknown>>;
  /** SAML: which of them came by a FriendlyName alone, and so are good for nothing that decides who somebody is. */
  unsureNames?: ReadonlySet<string>;
  /** SAML: the attributes that were left out, each with the reason. */
  leftOut?: readonly string[];
  /** OIDC: why there is nothing of UserInfo among them, although the connection wants it; null: it is there. */
  userInfoProblem?: string | null;
  /** What was signed, and with which key, in words for an admin. */
  signature?: string;
  /** When the IdP vouched for it, by its own clock (`iat`, `IssueInstant`). */
  issuedAt: Date;
  /** When the IdP wants the session to end at the latest (`SessionNotOnOrAfter`, `session_expiry`). */
  sessionEnds: Date | null;
  /** The IdP's own session: `sid` (OIDC), `SessionIndex` (SAML). */
  idpSession: string | null;
  /** How they proved themselves: `acr` (OIDC), `AuthnContextClassRef` (SAML). */
  authContext: string | null;
  /** The ID token as it came, for logging out there; null of SAML. */
  idToken: string | null;
  /** null of OIDC. */
  nameId: NameId | null;
  /** What makes a second use of the same message visible; null where the protocol's own state does (OIDC's code). */
  once: { id: string; until: Date } | null;
}
