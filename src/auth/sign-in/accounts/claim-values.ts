import { WS_NAME } from './claim-names.js';

/** Claims by name, as `VerifiedSignIn` has them. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the one text of a claim: a string, or a list whose entries are equal or empty. Several different values are
 * ambiguous.
 */
export function claimText(claims: Claims, name: string): string | null {
  let value: unknown = claimOf(claims, name);
  if (Array.isArray(value)) {
    const said = new Set((value as unknown[]).filter((one) => typeof one !== 'string' || one.trim() !== ''));
    value = said.size === 1 ? [...said][0] : undefined;
  }
  return typeof value === 'string' && value.trim() !== '' && value.length <= 1_024 ? value : null;
}

/** Returns a claim by its name, else by its path: `realm_access.roles` (Keycloak). A claim that is null is absent. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name) && claims[name] !== null) return claims[name];
  let value: unknown = claims;
  for (const step of name.split('.')) {
    if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<string, unknown>)[step];
  }
  return value ?? undefined;
}

/** Returns the text of the first claim that has one. */
export function firstOf(claims: Claims, names: readonly string[]): string | null {
  for (const name of names) {
    const text = claimText(claims, name);
    if (text !== null && (name !== WS_NAME || /[@\\]/.test(text))) return text;
  }
  return null;
}
