import { ApiProperty } from '@nestjs/swagger';
import type { Shape } from '../../base/http/api-answers.js';
import { EMAIL_TRUST, type ClaimMap, type EmailTrust } from './connection.js';
import { ID_TOKEN_ALGS, TOKEN_AUTH, type IdTokenAlg, type TokenAuth } from '../../protocols/oidc/oidc-settings.js';
import { SAML_SIGNED, type SamlBinding, type SamlSigned } from '../../protocols/saml/saml-settings.js';

// Bodies of answers. Bodies of requests are in `connections.dto.ts`.

/** A pinned certificate as the API shows it. */
export class CertificateBody {
  @ApiProperty()
  pem!: string;
  @ApiProperty({ description: 'SHA-256, hexadecimal with colons.' })
  fingerprint!: string;
  @ApiProperty({ description: 'An expired certificate still verifies: the key is pinned.' })
  not_after!: Date;
  @ApiProperty({ format: 'date-time' })
  added_at!: string;
}

/** The claims or attributes that are mapped; fields without one take the usual names. */
class ClaimMapBody implements ClaimMap {
  @ApiProperty({ required: false })
  email?: string;
  @ApiProperty({ required: false })
  first_name?: string;
  @ApiProperty({ required: false })
  last_name?: string;
  @ApiProperty({ required: false })
  user_name?: string;
  @ApiProperty({ required: false })
  external_id?: string;
  @ApiProperty({ required: false })
  role?: string;
}

/** Fields of both types. Never a secret. */
class ConnectionHeadBody {
  @ApiProperty({ example: 'con_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty({ description: 'Names it in addresses; final.' })
  slug!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty()
  enabled!: boolean;
  @ApiProperty({ type: 'integer', description: 'Moves with every change.' })
  version!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'The first sign-in, real or test, that succeeded with the present settings; null: none has.',
  })
  tested_at!: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'The directory whose users sign in here.' })
  directory_id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'null: the IdP’s usual one.' })
  link_claim!: string | null;
  @ApiProperty()
  claim_map!: ClaimMapBody;
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Value of the role claim → role; the first value that matches counts. Without a value the role is `default_role`.',
  })
  role_map!: Record<string, string>;
  @ApiProperty({
    enum: EMAIL_TRUST,
    description:
      '`domain`: the verified domain of an e-mail is enough. `verified`: the IdP has to say `email_verified: true` as well. For the owner and admins, OIDC connections always demand that.',
  })
  email_trust!: EmailTrust;
  @ApiProperty()
  jit!: boolean;
  @ApiProperty()
  default_role!: string;
  @ApiProperty({ type: [String] })
  return_origins!: string[];
  @ApiProperty({ description: 'The redirect URI (OIDC), the assertion consumer service (SAML).' })
  callback_url!: string;
  @ApiProperty({ description: 'Where signing in through this connection begins.' })
  login_url!: string;
  @ApiProperty({ description: 'Where the IdP ends the sessions of a user (Okta: Universal Logout).' })
  global_token_revocation_url!: string;
  @ApiProperty()
  created_at!: Date;
  @ApiProperty()
  updated_at!: Date;
}

/** A connection to an OpenID provider, as the API shows it. */
class OidcConnectionBody extends ConnectionHeadBody {
  @ApiProperty({ enum: ['oidc'] })
  type!: 'oidc';
  @ApiProperty({ example: 'https://idp.example.com' })
  issuer!: string;
  @ApiProperty({ type: String, nullable: true, description: 'null: below the issuer.' })
  discovery_url!: string | null;
  @ApiProperty()
  client_id!: string;
  @ApiProperty({ description: 'Whether a client secret is stored. The secret itself is never shown.' })
  client_secret_set!: boolean;
  @ApiProperty({ enum: TOKEN_AUTH })
  token_auth!: TokenAuth;
  @ApiProperty({ description: 'Whether there is one, for private_key_jwt.' })
  private_key_set!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Our public key for the IdP, with private_key_jwt.' })
  client_keys_url!: string | null;
  @ApiProperty({ type: [String] })
  scopes!: string[];
  @ApiProperty({ type: String, enum: ID_TOKEN_ALGS, nullable: true })
  id_token_alg!: IdTokenAlg | null;
  @ApiProperty({ enum: ['never', 'optional', 'required'] })
  user_info!: 'never' | 'optional' | 'required';
  @ApiProperty({ type: 'integer', nullable: true })
  max_age_seconds!: number | null;
  @ApiProperty({ type: [String] })
  acr_values!: string[];
  @ApiProperty({ description: 'The post-logout redirect URI.' })
  signed_out_url!: string;
  @ApiProperty({ description: 'The back-channel logout URI.' })
  backchannel_logout_url!: string;
  @ApiProperty({ description: 'The front-channel logout URI, for an IdP without back-channel logout.' })
  frontchannel_logout_url!: string;
}

/** A connection to a SAML IdP, as the API shows it. */
class SamlConnectionBody extends ConnectionHeadBody {
  @ApiProperty({ enum: ['saml'] })
  type!: 'saml';
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: an administrator keeps the following fields up to date.',
  })
  metadata_url!: string | null;
  @ApiProperty({
    type: [CertificateBody],
    description: 'Certificates, one of which has to have signed the metadata; empty: it may be unsigned.',
  })
  metadata_certificates!: CertificateBody[];
  @ApiProperty({ type: 'integer', nullable: true, description: 'How long the metadata says that it holds.' })
  metadata_cache_seconds!: number | null;
  @ApiProperty({ type: Date, nullable: true })
  metadata_checked_at!: Date | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why the metadata was not taken over, the last time.' })
  metadata_problem!: string | null;
  @ApiProperty()
  idp_entity_id!: string;
  @ApiProperty()
  sso_url!: string;
  @ApiProperty({ enum: ['redirect', 'post'] })
  sso_binding!: SamlBinding;
  @ApiProperty({ type: String, nullable: true })
  slo_url!: string | null;
  @ApiProperty({ enum: ['redirect', 'post'] })
  slo_binding!: SamlBinding;
  @ApiProperty({ type: String, nullable: true, description: 'Where answers to its logout go; null: to `slo_url`.' })
  slo_response_url!: string | null;
  @ApiProperty({ type: [CertificateBody] })
  certificates!: CertificateBody[];
  @ApiProperty({ enum: SAML_SIGNED })
  signed!: SamlSigned;
  @ApiProperty()
  sign_requests!: boolean;
  @ApiProperty()
  allow_idp_initiated!: boolean;
  @ApiProperty({ type: String, nullable: true })
  name_id_format!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The attribute that is the subject; null: the NameID is.' })
  subject_claim!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'The entity id that was set for this service.' })
  sp_entity_id!: string | null;
  @ApiProperty({ type: 'integer' })
  clock_skew_seconds!: number;
  @ApiProperty({ type: [String] })
  authn_contexts!: string[];
  @ApiProperty({ description: 'The entity id of this service at the IdP, which is the audience of its assertions.' })
  entity_id!: string;
  @ApiProperty({ description: 'Our metadata.' })
  sp_metadata_url!: string;
  @ApiProperty({ description: 'Our single logout service.' })
  sp_slo_url!: string;
}

/** A connection as the API shows it. */
export type ConnectionBody = OidcConnectionBody | SamlConnectionBody;

/** Both types, for the API description. */
export const CONNECTION_SHAPE: Shape = { oneOf: [OidcConnectionBody, SamlConnectionBody], by: 'type' };

/** The kinds of logout that an IdP offers. */
export class IdpLogoutBody {
  @ApiProperty({ description: 'Signing out here signs out at the IdP as well (`end_session_endpoint`).' })
  rp_initiated!: boolean;
  @ApiProperty({ description: 'The IdP announces back-channel logout: set `backchannel_logout_url` there.' })
  back_channel!: boolean;
  @ApiProperty({ description: 'The IdP announces front-channel logout: set `frontchannel_logout_url` there.' })
  front_channel!: boolean;
  @ApiProperty({
    description: 'Its front-channel logout names the session (`iss`, `sid`), without which no session can be found.',
  })
  front_channel_session!: boolean;
}

/** The result of a check of a connection. */
export class ConnectionCheckBody {
  @ApiProperty({ description: 'Whether users could sign in, as far as a check without a sign-in shows.' })
  ok!: boolean;
  @ApiProperty({ type: String, nullable: true })
  problem!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: 'How many keys for ID tokens the IdP publishes.' })
  keys!: number | null;
  @ApiProperty({
    type: IdpLogoutBody,
    nullable: true,
    description: 'As the metadata of the IdP announces it; some IdPs offer more than they announce (Okta, Entra).',
  })
  logout!: IdpLogoutBody | null;
}
