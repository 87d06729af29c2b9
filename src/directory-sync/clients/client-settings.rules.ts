import type { FieldError } from '../../base/errors/domain-error.js';
import { OidcRefused } from '../../protocols/oidc/oidc-refused.js';
import { readKeys } from '../../protocols/oidc/jwks.rules.js';
import type { ClientKind } from './clients.dto.js';

/** What the assertions of a client have to fit. */
export interface ClientSettings {
  kind: ClientKind;
  issuer: string | null;
  subject: string | null;
  audience: string | null;
  jwks: Record<string, unknown> | null;
  jwks_url: string | null;
}

const FIELDS = ['issuer', 'subject', 'audience', 'jwks', 'jwks_url'] as const;
type Field = (typeof FIELDS)[number];

/** The fields that a kind can have. */
const TAKEN: Record<ClientKind, readonly Field[]> = {
  secret: [],
  private_key_jwt: ['jwks', 'jwks_url'],
  federated: ['issuer', 'subject', 'audience', 'jwks_url'],
};
const MAX_JWKS = 16_384;

/**
 * Returns what is wrong with the settings of a client.
 *
 * @param addressProblem why this service must not call an address; null: it may
 */
export function clientProblems(
  settings: ClientSettings,
  addressProblem: (address: string) => string | null,
): FieldError[] {
  const { kind, issuer, audience, jwks, jwks_url: url } = settings;
  const taken = TAKEN[kind];
  const errors: FieldError[] = FIELDS.filter((field) => settings[field] !== null && !taken.includes(field)).map(
    (field) => ({ field, message: `is not a field of a client of the kind ${kind}` }),
  );
  if (errors.length > 0) return errors;
  if (kind === 'private_key_jwt' && (jwks === null) === (url === null)) {
    errors.push({ field: 'jwks', message: 'must be given, or jwks_url, and not both' });
  }
  if (kind === 'federated') {
    for (const field of taken) if (settings[field] === null) errors.push({ field, message: 'is required' });
  }
  if (issuer !== null && !/^https?:\/\/[^\s?#]+$/.test(issuer)) {
    errors.push({
      field: 'issuer',
      message: 'must be an address such as https://login.microsoftonline.com/<tenant>/v2.0',
    });
  }
  if (audience?.endsWith('/.default') === true) {
    errors.push({ field: 'audience', message: 'must be without /.default: the assertions name it without' });
  }
  if (jwks !== null) errors.push(...keySetProblem(jwks));
  const problem = url === null ? null : addressProblem(url);
  if (problem !== null) errors.push({ field: 'jwks_url', message: problem });
  return errors;
}

function keySetProblem(jwks: Record<string, unknown>): FieldError[] {
  const message = problemOfKeys(jwks);
  return message === null ? [] : [{ field: 'jwks', message }];
}

function problemOfKeys(jwks: Record<string, unknown>): string | null {
  if (JSON.stringify(jwks).length > MAX_JWKS) return `must have at most ${MAX_JWKS} characters of JSON`;
  const { keys } = jwks;
  const isPrivate = (key: unknown): boolean => key !== null && typeof key === 'object' && ('d' in key || 'k' in key);
  if (Array.isArray(keys) && keys.some(isPrivate)) return 'must hold public keys alone: make a new key pair';
  try {
    const usable = readKeys(jwks);
    return usable.length > 0
      ? null
      : 'must hold a public key: RSA of 2048 to 4096 bits with an exponent of at most 32 bits, P-256 or Ed25519';
  } catch (error) {
    if (error instanceof OidcRefused) return 'must be a key set: {"keys": […]}';
    throw error;
  }
}
