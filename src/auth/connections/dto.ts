import { ApiExtraModels, getSchemaPath, ApiProperty } from '@nestjs/swagger';
import { isLongerThan } from '../../base/characters.js';
import { Ruled, type FieldOptions, isTidy, Choice, Flag, Nested, Whole, Text } from '../../base/http/fields.js';
import { ServerSet } from '../../base/http/validate.js';
import { ID_TOKEN_ALGS, TOKEN_AUTH, type IdTokenAlg, type TokenAuth } from '../../protocols/oidc/oidc-settings.js';
import { SAML_SIGNED, type SamlBinding, type SamlSigned } from '../../protocols/saml/saml-settings.js';
import { EMAIL_TRUST, type EmailTrust } from './connection.js';
import { SLUG } from './names.rules.js';

const MAX_JWK = 16 * 1024; // an RSA key of 4096 bits has 3 kB

export function Texts(
  options: FieldOptions & { max: number; form?: { test: RegExp; message: string } },
): PropertyDecorator {
  const { max, form } = options;
  return Ruled(
    (value) => {
      if (!Array.isArray(value)) return 'must be a list';
      if (value.length > max) return `must have at most ${max} entries`;
      for (const one of value as unknown[]) {
        if (typeof one !== 'string' || one === '' || isLongerThan(one, 500) || !isTidy(one)) {
          return 'must hold only texts of 1 to 500 characters';
        }
        if (form !== undefined && !form.test.test(one)) return form.message;
      }
      return new Set(value).size === value.length ? null : 'must hold each value once';
    },
    { type: String, isArray: true },
    options,
  );
}

// Each `…Problem` returns null when nothing is wrong. Whether the roles exist is checked later.
function roleMapProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be an object of value and role';
  const entries = Object.entries(value);
  if (entries.length > 500) return 'must have at most 500 entries';
  // The first matching value gives the role, and the written order of such names is lost.
  if (entries.length > 1 && entries.some(([from]) => isIndex(from))) {
    return 'must not have a whole number beside other values, since objects do not keep its place';
  }
  for (const [from, role] of entries) {
    if (from === '' || isLongerThan(from, 512) || !isTidy(from)) return 'needs values of 1 to 512 characters';
    if (typeof role !== 'string' || role === '' || isLongerThan(role, 100))
      return 'needs the name of a role for each value';
  }
  return null;
}

/** Whether JavaScript orders a member name before all others (ECMA-262, OrdinaryOwnPropertyKeys). */
function isIndex(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
}

function certificatesOrNoneProblem(value: unknown): string | null {
  return Array.isArray(value) && value.length === 0 ? null : certificatesProblem(value);
}

/** Each certificate is PEM, bare base64, or the object of an answer. */
function certificatesProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length === 0) return 'must hold at least one certificate';
  if (value.length > 20) return 'must have at most 20 entries';
  return value.every((one) => certificateText(one) !== null) ? null : 'must hold certificates, in PEM or base64';
}

export function certificateText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const pem = (value as { pem?: unknown } | null)?.pem;
  return typeof pem === 'string' ? pem : null;
}

/** RFC 6749, appendix A.2. */
function clientSecretProblem(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,2000}$/.test(value)
    ? null
    : 'must be 1 to 2000 visible ASCII characters';
}

/** Whether it is a key is checked later. */
function jwkProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be a private key as a JWK';
  return JSON.stringify(value).length <= MAX_JWK ? null : 'must be at most 16 KiB of JSON';
}

function xmlProblem(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 1024 * 1024
    ? null
    : 'must be XML of at most 1 MiB';
}

const OPTIONAL = { optional: true } as const;
const NULLABLE = { optional: true, nullable: true } as const;
const CLAIM = { max: 500, ...NULLABLE } as const;
const SLUG_FORM = { test: SLUG, message: 'must be 3 to 63 of a-z, 0-9 and -' };
const SCOPE = { test: /^[\x21\x23-\x5b\x5d-\x7e]+$/, message: 'must hold scopes without spaces' };
const WORD = { test: /^\S+$/, message: 'must hold values without spaces' };

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

export class ClaimMapFields {
  @Text(CLAIM)
  email?: string | null;
  @Text(CLAIM)
  first_name?: string | null;
  @Text(CLAIM)
  last_name?: string | null;
  @Text(CLAIM)
  user_name?: string | null;
  @Text(CLAIM)
  external_id?: string | null;
  @Text(CLAIM)
  role?: string | null;
}

/** The fields of both types; the service refuses those of the other type. */
@ApiExtraModels(CertificateBody)
export class ConnectionFields {
  @Text({
    max: 63,
    pattern: SLUG_FORM,
    ...OPTIONAL,
    description: 'Names it in addresses; unique over all tenants, and final.',
  })
  slug?: string;
  @Flag({ ...OPTIONAL, description: 'Default true. Disabling it refuses sign-ins and ends the sessions through it.' })
  enabled?: boolean;
  @Text({ max: 64, ...NULLABLE, description: 'The directory whose users sign in here.' })
  directory_id?: string | null;
  @Text({ ...CLAIM, description: 'The claim that equals SCIM externalId; null: the IdP’s usual one.' })
  link_claim?: string | null;
  @Nested(() => ClaimMapFields, { ...OPTIONAL, description: 'Merged; null takes a field’s usual claim again.' })
  claim_map?: ClaimMapFields;
  @Ruled(
    roleMapProblem,
    { type: 'object', additionalProperties: { type: 'string' } },
    {
      ...OPTIONAL,
      description:
        'Value of the role claim → role of the catalogue; the first value that matches counts; without one the role is `default_role`. Replaced as a whole. A value that is a whole number must be the only one, because JSON objects do not keep its place.',
    },
  )
  role_map?: Record<string, string>;
  @Choice(EMAIL_TRUST, {
    ...OPTIONAL,
    description:
      '`domain`, unless set: the verified domain of an e-mail is enough. `verified`: the IdP has to say `email_verified: true` as well. For the owner and admins, OIDC connections always demand that.',
  })
  email_trust?: EmailTrust;
  @Flag({ ...OPTIONAL, description: 'Whether sign-ins create users. Never while paired with a directory.' })
  jit?: boolean;
  @Text({ max: 100, ...OPTIONAL, description: 'The role of created users; default `User`.' })
  default_role?: string;
  @Texts({ max: 50, ...OPTIONAL, description: 'Origins of other applications that may be targets of a sign-in.' })
  return_origins?: string[];

  @Text({
    max: 500,
    ...OPTIONAL,
    description:
      'OIDC. Exactly as the IdP writes it. The address of its metadata is cut to the part before `/.well-known/openid-configuration`; `hint` of the answer says so.',
    example: 'https://idp.example.com',
  })
  issuer?: string;
  @Text({
    max: 2000,
    ...NULLABLE,
    description:
      'OIDC. The address of the IdP’s metadata; null: below the issuer (OIDC Discovery §4). The document has to name the issuer in either case.',
  })
  discovery_url?: string | null;
  @Text({ max: 500, ...OPTIONAL, description: 'OIDC.' })
  client_id?: string;
  @Ruled(clientSecretProblem, { type: String, writeOnly: true }, { ...OPTIONAL, description: 'OIDC. Kept sealed.' })
  client_secret?: string;
  @Choice(TOKEN_AUTH, { ...OPTIONAL, description: 'OIDC. Default client_secret_basic.' })
  token_auth?: TokenAuth;
  @Ruled(
    jwkProblem,
    { type: 'object', additionalProperties: true, writeOnly: true },
    { ...NULLABLE, description: 'OIDC. A JWK for private_key_jwt, stored encrypted; null: a new one is generated.' },
  )
  private_key?: Record<string, unknown> | null;
  @Texts({ max: 30, form: SCOPE, ...OPTIONAL, description: 'OIDC. openid is always among them.' })
  scopes?: string[];
  @Choice(ID_TOKEN_ALGS, {
    ...NULLABLE,
    description: 'OIDC. The pinned algorithm; null: each of these that the IdP announces.',
  })
  id_token_alg?: IdTokenAlg | null;
  @Choice(['never', 'optional', 'required'], { ...OPTIONAL, description: 'OIDC. Default optional.' })
  user_info?: 'never' | 'optional' | 'required';
  @Whole({ min: 1, max: 31_536_000, ...NULLABLE, description: 'OIDC. How old a sign-in at the IdP may be.' })
  max_age_seconds?: number | null;
  @Texts({ max: 20, form: WORD, ...OPTIONAL, description: 'OIDC. One of these has to be the acr; empty: any.' })
  acr_values?: string[];

  @Text({
    max: 2000,
    ...NULLABLE,
    description: 'SAML. The IdP’s metadata, read again daily, or sooner where it says so, hourly at the most.',
  })
  metadata_url?: string | null;
  @Ruled(
    certificatesOrNoneProblem,
    { type: 'array', items: { oneOf: [{ type: 'string' }, { $ref: getSchemaPath(CertificateBody) }] } },
    {
      ...OPTIONAL,
      description: 'SAML. One of these has to have signed the metadata, as a whole; empty: it need not be signed.',
    },
  )
  metadata_certificates?: unknown[];
  @Ruled(xmlProblem, { type: String, writeOnly: true }, { ...OPTIONAL, description: 'SAML. The IdP’s metadata, once.' })
  metadata_xml?: string;
  @Text({ max: 1024, ...OPTIONAL, description: 'SAML. With sso_url and certificates: in place of metadata.' })
  idp_entity_id?: string;
  @Text({ max: 2000, ...OPTIONAL, description: 'SAML.' })
  sso_url?: string;
  @Choice(['redirect', 'post'], { ...OPTIONAL, description: 'SAML. Default redirect.' })
  sso_binding?: SamlBinding;
  @Text({ max: 2000, ...NULLABLE, description: 'SAML.' })
  slo_url?: string | null;
  @Choice(['redirect', 'post'], { ...OPTIONAL, description: 'SAML. Default redirect.' })
  slo_binding?: SamlBinding;
  @Text({ max: 2000, ...NULLABLE, description: 'SAML. Where answers to its logout go; null: to slo_url.' })
  slo_response_url?: string | null;
  @Ruled(
    certificatesProblem,
    { type: 'array', items: { oneOf: [{ type: 'string' }, { $ref: getSchemaPath(CertificateBody) }] } },
    {
      ...OPTIONAL,
      description: 'SAML. All of them, in PEM, in base64, or unchanged from an answer; any of them may have signed.',
    },
  )
  certificates?: unknown[];
  @Choice(SAML_SIGNED, { ...OPTIONAL, description: 'SAML. Default assertion.' })
  signed?: SamlSigned;
  @Flag({ ...OPTIONAL, description: 'SAML. Default true.' })
  sign_requests?: boolean;
  @Flag({ ...OPTIONAL, description: 'SAML. Default false: answers without a request are refused.' })
  allow_idp_initiated?: boolean;
  @Text({ max: 500, ...NULLABLE, description: 'SAML. The format that is asked for.' })
  name_id_format?: string | null;
  @Text({
    max: 500,
    ...NULLABLE,
    description:
      'SAML. The Name of the attribute that is the subject, which the IdP must never give to another user; a FriendlyName does not count. Needed when NameIDs are transient. A change ends all bindings and sessions.',
  })
  subject_claim?: string | null;
  @Text({
    max: 1024,
    ...NULLABLE,
    description:
      'SAML. The entity id of this service at the IdP; null: the address of its metadata. No other address of this service, and no entity id that another tenant uses or has used.',
  })
  sp_entity_id?: string | null;
  @Whole({ min: 0, max: 180, ...OPTIONAL, description: 'SAML. Default 60.' })
  clock_skew_seconds?: number;
  @Texts({ max: 20, form: WORD, ...OPTIONAL, description: 'SAML. One of these has to be the context; empty: any.' })
  authn_contexts?: string[];
}

const SERVER_SET = [
  'id',
  'version',
  'tested_at',
  'callback_url',
  'login_url',
  'global_token_revocation_url',
  'client_secret_set',
  'private_key_set',
  'client_keys_url',
  'signed_out_url',
  'backchannel_logout_url',
  'frontchannel_logout_url',
  'entity_id',
  'sp_metadata_url',
  'sp_slo_url',
  'metadata_checked_at',
  'metadata_cache_seconds',
  'metadata_problem',
  'created_at',
  'updated_at',
] as const;

@ServerSet(...SERVER_SET)
export class CreateConnection extends ConnectionFields {
  @Choice(['oidc', 'saml'])
  type!: 'oidc' | 'saml';
  @Text({ max: 200, example: 'Okta' })
  name!: string;
}

@ServerSet(...SERVER_SET)
export class ChangeConnection extends ConnectionFields {
  @Choice(['oidc', 'saml'], { ...OPTIONAL, description: 'Cannot be changed.' })
  type?: 'oidc' | 'saml';
  @Text({ max: 200, ...OPTIONAL })
  name?: string;
}

export class RefreshMetadata {
  @Flag({ ...OPTIONAL, description: 'Takes another entity id, or certificates of which none is known yet.' })
  confirm?: boolean;
}

const OPTIONAL_MEMBER = { required: false } as const;

/** A public key (RFC 7517): of RSA `n` and `e`, of EC `crv`, `x` and `y`, of Ed25519 `crv` and `x`. */
class JwkBody {
  @ApiProperty({ enum: ['RSA', 'EC', 'OKP'] })
  kty!: string;
  @ApiProperty()
  kid!: string;
  @ApiProperty({ example: 'RS256' })
  alg!: string;
  @ApiProperty({ enum: ['sig'] })
  use!: string;
  @ApiProperty(OPTIONAL_MEMBER)
  n?: string;
  @ApiProperty(OPTIONAL_MEMBER)
  e?: string;
  @ApiProperty(OPTIONAL_MEMBER)
  crv?: string;
  @ApiProperty(OPTIONAL_MEMBER)
  x?: string;
  @ApiProperty(OPTIONAL_MEMBER)
  y?: string;
}

/** A set of public keys (RFC 7517), for verifiers of our tokens. */
export class JwksBody {
  @ApiProperty({ type: [JwkBody] })
  keys!: JwkBody[];
}
