import type { OidcSettings } from '../../protocols/oidc/oidc-settings.js';
import type { SamlSettings } from '../../protocols/saml/saml-settings.js';

/**
 * Which e-mails may find or create a user. `domain`: those in a verified domain of the tenant, unless the IdP calls the
 * e-mail unverified. `verified`: the IdP also has to say `email_verified`.
 */
export const EMAIL_TRUST = ['domain', 'verified'] as const;
/** One of `EMAIL_TRUST`. */
export type EmailTrust = (typeof EMAIL_TRUST)[number];

/** The claim (OIDC) or attribute (SAML) of each field; fields without one take the usual names. */
export interface ClaimMap {
  email?: string;
  first_name?: string;
  last_name?: string;
  user_name?: string;
  external_id?: string;
  role?: string;
}

interface ConnectionBase {
  readonly tenantId: string;
  readonly id: string;
  /** The part of its addresses that names it, unique over all tenants. */
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Moves with every change; what was made from an older version is no longer used. */
  readonly version: number;
  /** The first successful sign-in, real or test, with the present settings; null: none. */
  readonly testedAt: Date | null;
  /** The paired directory; null: not paired. */
  readonly directoryId: string | null;
  /** The claim that equals SCIM `externalId`; null: the IdP's usual one (`oid` of Entra, else the subject). */
  readonly linkClaim: string | null;
  readonly claimMap: ClaimMap;
  readonly emailTrust: EmailTrust;
  /** Values of the role claim with their roles; the first match counts. */
  readonly roleMap: readonly (readonly [value: string, role: string])[];
  /** Whether sign-ins create users. Never while paired. */
  readonly jit: boolean;
  /** The role of created users without a mapped value. */
  readonly defaultRole: string;
  /** Origins of other applications that may be targets of a sign-in. */
  readonly returnOrigins: readonly string[];
}

/** A connection to an OpenID provider, with its secrets opened. */
export interface OidcConnection extends ConnectionBase, OidcSettings {
  readonly type: 'oidc';
}

/** A connection to a SAML IdP. */
export interface SamlConnection extends ConnectionBase, SamlSettings {
  readonly type: 'saml';
}

/** A connection to one IdP of a tenant, with its secrets opened. */
export type Connection = OidcConnection | SamlConnection;
