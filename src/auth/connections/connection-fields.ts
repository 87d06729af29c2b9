import { isLongerThan } from '../../base/characters.js';
import { Ruled, type FieldOptions, isTidy } from '../../base/http/fields.js';

const MAX_JWK = 16 * 1024; // RSA of 4096 bits has 3 kB

/**
 * Declares a list of distinct texts of limited length.
 *
 * @param options `form`: what each text has to look like
 */
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

/** Returns what is wrong with an object of value → role; null: nothing. Whether the roles exist is checked later. */
export function roleMapProblem(value: unknown): string | null {
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

/**
 * Whether JavaScript orders a member name before all others, in any text (ECMA-262, OrdinaryOwnPropertyKeys).
 */
function isIndex(name: string): boolean {
  return /^(0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;
}

/** The same for a list that may be empty. */
export function certificatesOrNoneProblem(value: unknown): string | null {
  return Array.isArray(value) && value.length === 0 ? null : certificatesProblem(value);
}

/**
 * Returns what is wrong with a list of certificates; null: nothing. Each is PEM, bare base64, or as the API shows it.
 */
export function certificatesProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length === 0) return 'must hold at least one certificate';
  if (value.length > 20) return 'must have at most 20 entries';
  return value.every((one) => certificateText(one) !== null) ? null : 'must hold certificates, in PEM or base64';
}

/** Returns the text of a certificate, as written or as the API shows it. */
export function certificateText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  const pem = (value as { pem?: unknown } | null)?.pem;
  return typeof pem === 'string' ? pem : null;
}

/** Returns what is wrong with a client secret (RFC 6749, appendix A.2); null: nothing. */
export function clientSecretProblem(value: unknown): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,2000}$/.test(value)
    ? null
    : 'must be 1 to 2000 visible ASCII characters';
}

/** Returns what is wrong with the shape and size of a JWK; null: nothing. Whether it is a key is checked later. */
export function jwkProblem(value: unknown): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'must be a private key as a JWK';
  return JSON.stringify(value).length <= MAX_JWK ? null : 'must be at most 16 KiB of JSON';
}

/** Returns why a value cannot be a metadata document; null: it can. */
export function xmlProblem(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 1024 * 1024
    ? null
    : 'must be XML of at most 1 MiB';
}
