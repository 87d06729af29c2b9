import type { FieldError } from '../../base/errors/domain-error.js';
import { issuerOf } from '../../protocols/oidc/discovery.rules.js';
import type { CommonSettings, StoredOidcSettings } from './connection.js';
import type { ConnectionFields } from './dto.js';
import {
  calledAddressProblem,
  issuerProblem,
  templateProblem,
  chosen,
  type InstallationPermits,
} from './settings.rules.js';

const SCOPES = ['openid', 'profile', 'email'];

export type SecretPlan<S> = { kind: 'keep' | 'drop' | 'make' } | { kind: 'set'; secret: S };

export interface OidcSecretPlans {
  clientSecret: SecretPlan<string>;
  privateKey: SecretPlan<Record<string, unknown>>;
}

export function oidcAfter(
  before: StoredOidcSettings | null,
  input: ConnectionFields,
  common: CommonSettings,
  { allowPrivate }: InstallationPermits,
  errors: FieldError[],
): StoredOidcSettings {
  const after: StoredOidcSettings = {
    ...common,
    issuer: input.issuer === undefined ? (before?.issuer ?? '') : issuerOf(input.issuer),
    discovery_url: chosen(input.discovery_url, before?.discovery_url ?? null, null),
    client_id: chosen(input.client_id, before?.client_id, ''),
    token_auth: chosen(input.token_auth, before?.token_auth, 'client_secret_basic'),
    // The scope `openid` makes it OpenID Connect (OIDC Core §3.1.2.1).
    scopes: [...new Set(['openid', ...chosen(input.scopes, before?.scopes, SCOPES)])],
    id_token_alg: chosen(input.id_token_alg, before?.id_token_alg, null),
    user_info: chosen(input.user_info, before?.user_info, 'optional'),
    max_age_seconds: chosen(input.max_age_seconds, before?.max_age_seconds, null),
    acr_values: chosen(input.acr_values, before?.acr_values, []),
  };
  if (after.issuer === '') errors.push({ field: 'issuer', message: 'is required' });
  else if (after.issuer !== before?.issuer) {
    const problem = issuerProblem(after.issuer, allowPrivate);
    if (problem !== null) errors.push({ field: 'issuer', message: problem });
  }
  if (after.discovery_url != null && after.discovery_url !== before?.discovery_url) {
    const problem = calledAddressProblem(after.discovery_url, allowPrivate) ?? templateProblem(after.discovery_url);
    if (problem !== null) errors.push({ field: 'discovery_url', message: problem });
  }
  if (after.client_id === '') errors.push({ field: 'client_id', message: 'is required' });
  return after;
}

/** Decides what becomes of the two secrets. Only the one in use is kept. */
export function secretPlans(
  before: StoredOidcSettings | null,
  after: StoredOidcSettings,
  stored: { clientSecret: boolean; privateKey: boolean },
  input: ConnectionFields,
  errors: FieldError[],
): OidcSecretPlans {
  const { client_secret: secret, private_key: key } = input;
  if (after.token_auth === 'private_key_jwt') {
    if (secret !== undefined) errors.push({ field: 'client_secret', message: 'is not used with private_key_jwt' });
    if (key != null) return { clientSecret: { kind: 'drop' }, privateKey: { kind: 'set', secret: key } };
    const keep = key === undefined && stored.privateKey;
    return { clientSecret: { kind: 'drop' }, privateKey: { kind: keep ? 'keep' : 'make' } };
  }
  if (key != null) errors.push({ field: 'private_key', message: 'is used with private_key_jwt only' });
  if (secret === undefined && !stored.clientSecret) errors.push({ field: 'client_secret', message: 'is required' });
  // The administrator cannot read the secret, so it must not be sent to another issuer's token endpoint either.
  const elsewhere = before?.issuer !== after.issuer || (before.discovery_url ?? null) !== after.discovery_url;
  if (secret === undefined && stored.clientSecret && elsewhere) {
    const message = 'is required with another issuer or discovery_url: the present one belongs there';
    errors.push({ field: 'client_secret', message });
  }
  return {
    clientSecret: secret === undefined ? { kind: 'keep' } : { kind: 'set', secret },
    privateKey: { kind: 'drop' },
  };
}
