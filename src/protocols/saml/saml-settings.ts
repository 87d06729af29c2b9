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
