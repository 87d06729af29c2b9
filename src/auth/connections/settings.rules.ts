import type { FieldError } from '../../base/errors/domain-error.js';
import { refusalOfUrl } from '../../base/http/destination-networks.js';
import { MAX_URL, urlOf } from '../../base/url.js';
import type { ClaimMap, CommonSettings } from './connection.js';
import type { ClaimMapFields, ConnectionFields } from './dto.js';

/** Returns why this service must not call an address; null when it may. `Outbound` checks again at use. */
export function calledAddressProblem(text: string, allowPrivate: boolean): string | null {
  const problem = browserAddressProblem(text, allowPrivate);
  return problem === null && !allowPrivate ? refusalOfUrl(text) : problem;
}

/**
 * Returns why browsers must not be sent to an address; null when they may. The address may be inside a company's network. It
 * has to be https: a tenant's setting must never be a script (`javascript:`) on our page.
 */
export function browserAddressProblem(text: string, allowHttp: boolean): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = urlOf(text);
  if (url === null) return 'must be a complete address such as https://idp.example.com/sso';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return text.includes('#') ? 'must not have a fragment' : null;
}

/** Returns why a text cannot be an issuer (OIDC Discovery §3: no query, no fragment); null when it can. */
export function issuerProblem(text: string, allowPrivate: boolean): string | null {
  const problem = calledAddressProblem(text, allowPrivate) ?? templateProblem(text);
  return problem ?? (/[?#]/.test(text) ? 'must not have a query or fragment' : null);
}

/** Parts of Entra's addresses that mean many tenants. Their metadata names a template as the issuer. */
const MANY_TENANTS =
  /^https:\/\/(?:login\.(?:partner\.)?microsoftonline\.(?:com|us|cn)|login\.windows\.net|sts\.windows\.net)\/(?:common|organizations|consumers)(?:\/|$)/i;

/** Returns why an address cannot name one IdP; null when it can. Templates and Entra's addresses for many tenants cannot. */
export function templateProblem(text: string): string | null {
  if (!MANY_TENANTS.test(text) && !/[{}]|%7b|%7d/i.test(text)) return null;
  return `is for many tenants: put the id of your tenant in the place of ${placeOf(text)} (Entra: https://login.microsoftonline.com/<tenant id>/v2.0, from Overview, Directory (tenant) ID)`;
}

function placeOf(text: string): string {
  const name = /\{\w{1,40}\}/.exec(text)?.[0];
  return name ?? text.split('/').find((part) => /^(?:common|organizations|consumers)$/i.test(part)) ?? 'the template';
}

/** Returns why a text cannot be a return origin; null when it can. Origins are compared letter by letter. */
export function originProblem(text: string, allowHttp: boolean): string | null {
  const url = urlOf(text);
  if (url === null || url.origin !== text) return 'must hold origins without a path, such as https://app.example.com';
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:') ? null : 'must hold https origins';
}

export interface InstallationPermits {
  /** Permits http and private addresses, for development. */
  allowPrivate: boolean;
}

const CLAIMS = ['email', 'first_name', 'last_name', 'user_name', 'external_id', 'role'] as const;
const OIDC_FIELDS = [
  'issuer',
  'discovery_url',
  'client_id',
  'client_secret',
  'token_auth',
  'private_key',
  'scopes',
  'id_token_alg',
  'user_info',
  'max_age_seconds',
  'acr_values',
] as const;
// prettier-ignore
const SAML_FIELDS = [
  'metadata_url', 'metadata_xml', 'idp_entity_id', 'sso_url', 'sso_binding', 'slo_url', 'slo_binding', 'slo_response_url',
  'certificates',  'signed', 'sign_requests', 'allow_idp_initiated', 'name_id_format', 'subject_claim', 'sp_entity_id', 'clock_skew_seconds', 'metadata_certificates',
  'authn_contexts',
] as const;

export function foreignFields(type: 'oidc' | 'saml', input: ConnectionFields): FieldError[] {
  const [foreign, other] = type === 'oidc' ? [SAML_FIELDS, 'SAML'] : [OIDC_FIELDS, 'OIDC'];
  return foreign
    .filter((field) => input[field] !== undefined)
    .map((field) => ({ field, message: `belongs to ${other} connections` }));
}

export function chosen<V>(input: V | undefined, before: V | undefined, otherwise: V): V {
  if (input !== undefined) return input;
  return before === undefined ? otherwise : before;
}

export function commonAfter(
  before: CommonSettings | null,
  input: ConnectionFields,
  paired: boolean,
  { allowPrivate }: InstallationPermits,
  errors: FieldError[],
): CommonSettings {
  const emailTrust = chosen(input.email_trust, before?.email_trust, 'domain');
  const after: CommonSettings = {
    ...(emailTrust === 'verified' ? { email_trust: emailTrust } : {}),
    link_claim: chosen(input.link_claim, before?.link_claim, null),
    claim_map: claimMapAfter(before?.claim_map ?? {}, input.claim_map),
    role_map: input.role_map === undefined ? (before?.role_map ?? []) : Object.entries(input.role_map),
    jit: chosen(input.jit, before?.jit, false),
    default_role: chosen(input.default_role, before?.default_role, 'User'),
    return_origins: chosen(input.return_origins, before?.return_origins, []),
  };
  // The directory decides which users exist.
  if (paired && after.jit) errors.push({ field: 'jit', message: 'never while paired with a directory' });
  if (input.return_origins !== undefined) {
    const problem = input.return_origins.map((origin) => originProblem(origin, allowPrivate)).find(Boolean);
    if (problem != null) errors.push({ field: 'return_origins', message: problem });
  }
  return after;
}

function claimMapAfter(before: ClaimMap, change: ClaimMapFields | undefined): ClaimMap {
  const after: ClaimMap = { ...before };
  for (const field of CLAIMS) {
    const claim = change?.[field];
    if (claim === null) delete after[field];
    else if (claim !== undefined) after[field] = claim;
  }
  return after;
}
