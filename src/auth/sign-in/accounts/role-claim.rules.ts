import type { Connection } from '../../connections/connection.js';
import { APP_ROLE_NAMES, GROUPS_LINKS, OIDC_NAMES, SAML_NAMES } from './claim-names.js';
import { claimOf, firstOf, type Claims } from './claim-values.js';

/**
 * What an IdP says about roles. Without a value it takes the role away, unless it marks that it has left values out:
 * Entra sends no groups of a user who has more than fit into a token.
 */
export type RoleClaim =
  | { readonly kind: 'values'; readonly values: readonly string[] }
  /** `why`: the mark of the IdP, in words for the sign-in log. */
  | { readonly kind: 'left_out'; readonly why: string };

const MAX_VALUES = 1_000;

/**
 * Reads the claim that the role map of a connection is compared with: the mapped one, else the usual ones.
 *
 * @param claims without those that came by a FriendlyName alone
 * @param userInfoProblem why UserInfo, which may have the claim, could not be read; null: it was read, or is not wanted
 */
export function roleClaim(
  { type, claimMap }: Pick<Connection, 'type' | 'claimMap'>,
  claims: Claims,
  userInfoProblem: string | null,
): RoleClaim {
  const usual = type === 'saml' ? SAML_NAMES.roles : OIDC_NAMES.roles;
  const names = claimMap.role === undefined ? usual : [claimMap.role];
  const values = names.map((name) => valuesOf(claims, name)).find((some) => some.length > 0);
  if (values !== undefined) return { kind: 'values', values };
  const mark = type === 'saml' ? samlMark(claims, names) : oidcMark(claims, names);
  if (mark !== null) return { kind: 'left_out', why: `the user has more groups than the IdP sends (${mark})` };
  const isAbsent = names.every((name) => claimOf(claims, name) === undefined);
  if (userInfoProblem !== null && isAbsent)
    return { kind: 'left_out', why: 'UserInfo, which may have the role claim, could not be read' };
  return { kind: 'values', values: [] };
}

function valuesOf(claims: Claims, name: string): string[] {
  const value = claimOf(claims, name);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, MAX_VALUES);
}

/** Returns the mark of a distributed claim (OIDC Core §5.6.2), or Entra's mark of left-out groups; null: there is none. */
function oidcMark(claims: Claims, names: readonly string[]): string | null {
  const tops = names.flatMap((name) => [name, name.split('.')[0]!]);
  const sources = claims['_claim_names'];
  const isObject = typeof sources === 'object' && sources !== null && !Array.isArray(sources);
  if (isObject && tops.some((name) => Object.hasOwn(sources, name))) return '_claim_names';
  const { hasgroups } = claims;
  return (hasgroups === true || hasgroups === 'true') && tops.includes('groups') ? 'hasgroups' : null;
}

/** Returns Entra's mark of left-out groups, whose attribute an admin can name freely there; null: there is none. */
function samlMark(claims: Claims, names: readonly string[]): string | null {
  const isForGroups = names.some((name) => !APP_ROLE_NAMES.has(name));
  return isForGroups && firstOf(claims, GROUPS_LINKS) !== null ? 'groups.link' : null;
}
