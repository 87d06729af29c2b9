/** What a verified ID token, and UserInfo where it is read, say about a person. */
export interface OidcSignIn {
  /** `sub`; compared letter by letter. */
  subject: string;
  claims: Readonly<Record<string, unknown>>;
  /** Why the claims hold nothing of UserInfo although the connection wants it; null: they do, or it does not. */
  userInfoProblem: string | null;
  /** The algorithm and key of the signature: text for an admin. */
  signature: string;
  /** `iat`. */
  issuedAt: Date;
  /** `auth_time`; null: the IdP does not state when the user authenticated. */
  authenticatedAt: Date | null;
  /** `session_expiry`; null: there is none. */
  sessionEnds: Date | null;
  /** `sid`. */
  idpSession: string | null;
  /** `acr`. */
  authContext: string | null;
  /** The ID token as it came, for RP-initiated logout. */
  idToken: string;
}
