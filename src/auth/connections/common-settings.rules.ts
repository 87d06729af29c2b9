import type { FieldError } from '../../base/errors/domain-error.js';
import { originProblem } from './address.rules.js';
import type { ClaimMap } from './connection.js';
import type { CommonSettings } from './connection.settings.js';
import type { ClaimMapFields, ConnectionFields } from './connections.dto.js';

/** What the configuration of the installation permits. */
export interface InstallationPermits {
  /** Permits http and private addresses, for development. */
  allowPrivate: boolean;
}

const CLAIMS = ['email', 'first_name', 'last_name', 'user_name', 'external_id', 'role'] as const;
const OIDC_FIELDS = [
  'issuer', 'discovery_url', 'client_id', 'client_secret', 'token_auth', 'private_key', 'scopes', 'id_token_alg', 'user_info',
  'max_age_seconds', 'acr_values',
] as const; // prettier-ignore
const SAML_FIELDS = [
  'metadata_url', 'metadata_xml', 'idp_entity_id', 'sso_url', 'sso_binding', 'slo_url', 'slo_binding', 'slo_response_url',
  'certificates',  'signed', 'sign_requests', 'allow_idp_initiated', 'name_id_format', 'subject_claim', 'sp_entity_id', 'clock_skew_seconds', 'metadata_certificates',
  'authn_contexts',
] as const; // prettier-ignore

/** Returns an error for each sent field that belongs to the other type of connection. */
export function foreignFields(type: 'oidc' | 'saml', input: ConnectionFields): FieldError[] {
  const [foreign, other] = type === 'oidc' ? [SAML_FIELDS, 'SAML'] : [OIDC_FIELDS, 'OIDC'];
  return foreign
    .filter((field) => input[field] !== undefined)
    .map((field) => ({ field, message: `belongs to ${other} connections` }));
}

/** Returns the sent value, else the former one, else the default. */
export function chosen<V>(input: V | undefined, before: V | undefined, otherwise: V): V {
  if (input !== undefined) return input;
  return before === undefined ? otherwise : before;
}

/**
 * Returns the settings of both types after a change, and adds what is wrong to `errors`.
 *
 * @param before null: a new connection
 * @param paired whether the connection is paired afterwards
 */
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
