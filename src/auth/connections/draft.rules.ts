import type { FieldError } from '../../base/errors/domain-error.js';
import { commonAfter, foreignFields, type InstallationPermits } from './settings.rules.js';
import type { CommonSettings, IdpSettings, StoredOidcSettings, StoredSamlSettings } from './connection.js';
import type { ConnectionFields } from './dto.js';
import { oidcAfter, secretPlans, type OidcSecretPlans } from './oidc.rules.js';
import { idpByFields, samlAfter, signersAfter } from './saml.rules.js';

export type Present =
  | { type: 'oidc'; settings: StoredOidcSettings | null; secrets: { clientSecret: boolean; privateKey: boolean } }
  | { type: 'saml'; settings: StoredSamlSettings | null };

export type ConnectionDraft =
  | { type: 'oidc'; settings: StoredOidcSettings; plans: OidcSecretPlans }
  | { type: 'saml'; settings: StoredSamlSettings };

/**
 * Returns the settings of a connection after a change, or of a new one. The draft is valid only without `errors`.
 *
 * @param given `imported`: the IdP as read from metadata, where the request names some
 */
export function connectionDraftOf(
  present: Present,
  input: ConnectionFields,
  given: { paired: boolean; imported: IdpSettings | null; now: Date },
  allowance: InstallationPermits,
  errors: FieldError[],
): ConnectionDraft {
  errors.push(...foreignFields(present.type, input));
  const common: CommonSettings = commonAfter(present.settings, input, given.paired, allowance, errors);
  if (present.type === 'oidc') {
    const settings = oidcAfter(present.settings, input, common, allowance, errors);
    const plans = secretPlans(present.settings, settings, present.secrets, input, errors);
    return { type: 'oidc', settings, plans };
  }
  const idp = given.imported ?? idpByFields(present.settings, input, given.now, allowance, errors);
  const signers = signersAfter(present.settings, input, given.now, errors);
  return { type: 'saml', settings: samlAfter(present.settings, input, common, idp, signers) };
}

export function namedRoles(input: ConnectionFields, settings: CommonSettings): { field: string; role: string }[] {
  const mapped = Object.values(input.role_map ?? {}).map((role) => ({ field: 'role_map', role }));
  return [{ field: 'default_role', role: settings.default_role }, ...mapped];
}
