import type { OidcSettings } from '../oidc/oidc-settings.js';
import type { SamlSettings } from '../saml/saml-settings.js';

/**
 * What makes an e-mail good enough to find or make a user by. `domain`: the tenant's verified domain, unless the IdP says that
 * the e-mail is not verified; `verified`: the IdP has to say that it is (`email_verified`), too.
 */
export const EMAIL_TRUST = ['domain', 'verified'] as const;
/** One of `EMAIL_TRUST`. */
export type EmailTrust = (typeof EMAIL_TRUST)[number];

/** Which claim (OIDC) or attribute (SAML) feeds which field; what is not named takes the usual names. */
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
  /** The part of the addresses that names it, unique over all tenants. */
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Moves with every change: what was made from an older one is not used any more. */
  readonly version: number;
  /** The first sign-in, real or test, that succeeded with the present settings; null: none has. */
  readonly testedAt: Date | null;
  /** The directory whose people sign in here; null: not paired. */
  readonly directoryId: string | null;
  /** The claim that equals SCIM `externalId`; null: the IdP's usual one (`oid` of Entra, else the subject). */
  readonly linkClaim: string | null;
  readonly claimMap: ClaimMap;
  readonly emailTrust: EmailTrust;
  /** Values of the role claim and the roles that they give; the first that somebody has counts, others give nothing. */
  readonly roleMap: readonly (readonly [value: string, role: string])[];
  /** Makes people who are not there yet. Never while paired. */
  readonly jit: boolean;
  /** The role of whom it makes when no value of the role claim is mapped. */
  readonly defaultRole: string;
  /** Origins of other applications that people may be sent back to. */
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

/** One IdP that a tenant's people sign in through, with its secrets opened. */
export type Connection = OidcConnection | SamlConnection;
