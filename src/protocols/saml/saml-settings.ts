/** Values of `SamlSettings.signed`: which part of an answer has to be signed; `both` is the assertion and the Response. */
export const SAML_SIGNED = ['assertion', 'response', 'both'] as const;
/** One of `SAML_SIGNED`. */
export type SamlSigned = (typeof SAML_SIGNED)[number];

/** A binding that this service speaks (SAML Bindings §3.4, §3.5). */
export type SamlBinding = 'redirect' | 'post';

/** What this room needs to know of one IdP and of our side towards it. */
export interface SamlSettings {
  /** The tenant, whose work waits in a queue of its own. */
  readonly tenantId: string;
  readonly id: string;
  /** The part of our addresses that names the connection. */
  readonly slug: string;
  readonly idpEntityId: string;
  readonly ssoUrl: string;
  readonly ssoBinding: SamlBinding;
  /** null: the IdP offers no single logout. */
  readonly sloUrl: string | null;
  readonly sloBinding: SamlBinding;
  /** Where responses to the IdP's logout requests go; null: to `sloUrl`. */
  readonly sloResponseUrl: string | null;
  /** The pinned certificates of the IdP, PEM. A signature by any one of them is accepted. */
  readonly certificates: readonly string[];
  readonly signed: SamlSigned;
  /** Whether our authentication requests are signed. */
  readonly signRequests: boolean;
  readonly allowIdpInitiated: boolean;
  /** The NameID format that a request asks for; null: a request names none. */
  readonly nameIdFormat: string | null;
  /** The attribute that holds the subject; null: the NameID is the subject and must not be transient. */
  readonly subjectClaim: string | null;
  /** Our entity id towards this IdP. */
  readonly spEntityId: string;
  /** Seconds by which clocks may differ, at most 180. */
  readonly clockSkewSeconds: number;
  /** Accepted values of AuthnContextClassRef; empty: any. */
  readonly authnContexts: readonly string[];
}

/** Our addresses that SAML messages name. */
export abstract class SamlAddresses {
  /** The assertion consumer service of a connection. */
  abstract callback(slug: string): string;
  /** The single logout service of a connection. */
  abstract slo(slug: string): string;
}

/** One of our key pairs for SAML, with its self-signed certificate. */
export interface SamlKeyPair {
  readonly id: string;
  /** PKCS#8, PEM. */
  readonly privateKey: string;
  /** PEM. */
  readonly certificate: string;
}

/** The SAML keys of the installation. `current` signs; all of them decrypt, newest first, while keys roll over. */
export interface SamlKeys {
  readonly current: SamlKeyPair;
  readonly all: readonly SamlKeyPair[];
}

/** The source of our SAML keys, a port for the key store. */
export abstract class SamlKeySource {
  abstract samlKeys(): Promise<SamlKeys>;
}

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
  /** The latest `AuthnInstant`; null when no value is a time with its zone. */
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
