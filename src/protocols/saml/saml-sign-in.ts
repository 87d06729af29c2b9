/** A NameID exactly as the IdP wrote it. Single logout has to repeat it unchanged (SAML Core §3.7.1). */
export interface NameId {
  value: string;
  format: string | null;
  nameQualifier: string | null;
  spNameQualifier: string | null;
}

/** What a verified assertion says about a person. */
export interface SamlSignIn {
  /** The NameID, or the attribute `subjectClaim`; compared letter by letter. */
  subject: string;
  /** Attributes by `Name`, and by `FriendlyName` where no attribute has that `Name`. A single value is a string, several are a list. */
  claims: Readonly<Record<string, unknown>>;
  /** The claims that came by a FriendlyName alone: they must not decide the identity. */
  unsureNames: ReadonlySet<string>;
  /** The attributes that were left out, each with the reason. */
  leftOut: readonly string[];
  /** Which parts were signed, and with which certificate: text for an admin. */
  signature?: string;
  /** `IssueInstant` of the assertion. */
  issuedAt: Date;
  /** The latest `AuthnInstant`; null: none is a time with its zone. */
  authenticatedAt: Date | null;
  /** The earliest `SessionNotOnOrAfter`; null: there is none. */
  sessionEnds: Date | null;
  /** `SessionIndex`, of the first AuthnStatement that has one. */
  idpSession: string | null;
  /** The `SessionIndex` of further AuthnStatements: the IdP may end the session by any of them. */
  otherIdpSessions?: readonly string[];
  /** `AuthnContextClassRef`. */
  authContext: string | null;
  nameId: NameId;
  /** The caller stores this id until this time, so that a second use of the assertion is refused. */
  once: { id: string; until: Date };
}
