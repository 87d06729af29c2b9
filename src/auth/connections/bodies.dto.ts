import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import { CertificateBody, ConnectionFields } from './dto.js';
import { ShownType, StoredTimes } from '../../base/http/shown.js';
import type { Shape } from '../../base/http/api-answers.js';
import type { ClaimMap } from './connection.js';

// The fields of a request that an answer has as well.
const SHARED = [
  'slug', 'enabled', 'directory_id', 'link_claim', 'role_map', 'email_trust', 'jit', 'default_role', 'return_origins',
] as const; // prettier-ignore
const OIDC = [
  'issuer', 'discovery_url', 'client_id', 'token_auth', 'scopes', 'id_token_alg', 'user_info', 'max_age_seconds',
  'acr_values',
] as const; // prettier-ignore
const SAML = [
  'metadata_url', 'idp_entity_id', 'sso_url', 'sso_binding', 'slo_url', 'slo_binding', 'slo_response_url', 'signed',
  'sign_requests', 'allow_idp_initiated', 'name_id_format', 'subject_claim', 'sp_entity_id', 'clock_skew_seconds',
  'authn_contexts',
] as const; // prettier-ignore

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

class ConnectionHeadBody extends IntersectionType(ShownType(ConnectionFields, SHARED), StoredTimes) {
  @ApiProperty({ example: 'con_01k0000000abcdefghjkmnpqrs' })
  id!: string;
  @ApiProperty()
  name!: string;
  @ApiProperty({ type: 'integer', description: 'Moves with every change.' })
  version!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'The first sign-in, real or test, that succeeded with the present settings; null: none has.',
  })
  tested_at!: Date | null;
  @ApiProperty()
  claim_map!: ClaimMapBody;
  @ApiProperty({ description: 'The redirect URI (OIDC), the assertion consumer service (SAML).' })
  callback_url!: string;
  @ApiProperty({ description: 'Where signing in through this connection begins.' })
  login_url!: string;
  @ApiProperty({ description: 'Where the IdP ends the sessions of a user (Okta: Universal Logout).' })
  global_token_revocation_url!: string;
}

class OidcConnectionBody extends IntersectionType(ConnectionHeadBody, ShownType(ConnectionFields, OIDC)) {
  @ApiProperty({ enum: ['oidc'] })
  type!: 'oidc';
  @ApiProperty({
    required: false,
    description: 'In the answer to a request whose issuer was the address of its metadata: that it was cut.',
  })
  hint?: string;
  @ApiProperty({ description: 'Whether a client secret is stored. The secret itself is never shown.' })
  client_secret_set!: boolean;
  @ApiProperty({ description: 'Whether there is one, for private_key_jwt.' })
  private_key_set!: boolean;
  @ApiProperty({ type: String, nullable: true, description: 'Our public key for the IdP, with private_key_jwt.' })
  client_keys_url!: string | null;
  @ApiProperty({ description: 'The post-logout redirect URI.' })
  signed_out_url!: string;
  @ApiProperty({ description: 'The back-channel logout URI.' })
  backchannel_logout_url!: string;
  @ApiProperty({ description: 'The front-channel logout URI, for an IdP without back-channel logout.' })
  frontchannel_logout_url!: string;
}

class SamlConnectionBody extends IntersectionType(ConnectionHeadBody, ShownType(ConnectionFields, SAML)) {
  @ApiProperty({ enum: ['saml'] })
  type!: 'saml';
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
  @ApiProperty({ type: [CertificateBody] })
  certificates!: CertificateBody[];
  @ApiProperty({ description: 'The entity id of this service at the IdP, which is the audience of its assertions.' })
  entity_id!: string;
  @ApiProperty({ description: 'Our metadata.' })
  sp_metadata_url!: string;
  @ApiProperty({ description: 'Our single logout service.' })
  sp_slo_url!: string;
}

export type ConnectionBody = OidcConnectionBody | SamlConnectionBody;

export const CONNECTION_SHAPE: Shape = { oneOf: [OidcConnectionBody, SamlConnectionBody], by: 'type' };

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
