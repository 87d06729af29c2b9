import { InvalidFields, type FieldError } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { SKEW } from '../../protocols/oidc/id-token.rules.js';
import { withoutNulls } from '../../protocols/oidc/json.rules.js';
import { readKeys } from '../../protocols/oidc/jwks.rules.js';
import type { SignedToken } from '../../protocols/oidc/jwt.rules.js';
import { OidcRefused } from '../../protocols/oidc/oidc-refused.js';
import type { ClientKind } from './clients.dto.js';
import { ClientRefused, InvalidClient, InvalidTokenAsk } from './clients.errors.js';

export interface ExpectedAssertion {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Whether the client signs it with its own key. Assertions of an issuer live as long as the issuer lets them. */
  readonly isOwn: boolean;
}

/** Seconds. The longest life of an issuer's assertion: one without `jti` can be used until it ends. */
const MAX_LIFE = 86_400;
/** Seconds. The longest life of an assertion that the client signs with its own key, for one request. */
const MAX_OWN_LIFE = 600;
const MAX_JTI = 255;
/** The explicit type of another kind of token (RFC 8725 §3.11). Any other `typ` has no meaning (RFC 7519 §5.1). */
const OTHER_TOKEN = /^(?!(?:application\/)?client-authentication\+jwt$).*\+jwt$/;

/**
 * Checks the claims of an assertion (RFC 7523 §3). The caller checks the signature.
 *
 * @returns the `jti` with the end of its use; null when the assertion has none and can be used until it ends, as those
 * of Entra
 * @throws {ClientRefused} with the reason
 */
export function checkAssertion(
  token: SignedToken,
  expected: ExpectedAssertion,
  now: Date,
): { id: string; until: Date } | null {
  const { iss, sub, aud, exp, iat, nbf, jti } = withoutNulls(token.claims);
  if (OTHER_TOKEN.test(token.header.typ ?? '')) throw new ClientRefused('assertion_invalid');
  if (iss !== expected.issuer) throw new ClientRefused('issuer_mismatch');
  if (sub !== expected.subject) throw new ClientRefused('subject_mismatch');
  const audiences = Array.isArray(aud) ? (aud as unknown[]) : [aud];
  // An assertion that others accept too could be passed on by them.
  const isOurs = audiences.length > 0 && audiences.every((one) => expected.audiences.includes(one as string));
  if (!isOurs) throw new ClientRefused('audience_mismatch');
  // Only `exp` is required (RFC 7523 §3, items 4 to 6).
  if (!isTime(exp) || ![iat, nbf].every((one) => one === undefined || isTime(one))) {
    throw new ClientRefused('assertion_invalid');
  }
  const seconds = now.getTime() / 1000;
  if (seconds >= exp + SKEW) throw new ClientRefused('assertion_expired');
  if (Math.max(...[iat, nbf].filter(isTime)) - seconds > SKEW) throw new ClientRefused('assertion_not_yet_valid');
  // Without `iat` and `nbf` the life is the time that is left until `exp`.
  const life = exp - ([iat, nbf].find(isTime) ?? seconds + SKEW);
  if (life > (expected.isOwn ? MAX_OWN_LIFE : MAX_LIFE)) throw new ClientRefused('assertion_lives_too_long');
  if (jti === undefined) {
    if (expected.isOwn) throw new ClientRefused('assertion_without_jti');
    return null;
  }
  if (typeof jti !== 'string' || jti === '' || jti.length > MAX_JTI) throw new ClientRefused('assertion_invalid');
  return { id: jti, until: new Date((exp + SKEW) * 1000) };
}

/** Returns whether a value is a NumericDate (RFC 7519 §2) within the range of Date. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 8.64e12;
}

const FORM = /^cli_([0-9a-z]{8,40})_[0-9a-hjkmnp-tv-z]{26}$/;

/** Creates a `client_id`. It names the tenant, so that a look-up begins with the tenant. */
export function newClientId(tenantId: string): string {
  return newId('cli').replace('_', `_${tenantId.replace(/^ten_/, '')}_`);
}

/** Returns the tenant that a `client_id` names; null when the text is not a client id. */
export function tenantOfClient(clientId: string): string | null {
  const tenant = FORM.exec(clientId)?.[1];
  return tenant === undefined ? null : `ten_${tenant}`;
}

const DAY_MS = 86_400_000;

/** @throws {InvalidFields} for an end in the past, or more than three years away */
export function secretEnd(asked: Date | undefined, now: Date): Date {
  if (asked === undefined) return new Date(now.getTime() + 365 * DAY_MS);
  const left = asked.getTime() - now.getTime();
  const message = left <= 0 ? 'must be in the future' : 'must be at most three years from now';
  if (left <= 0 || left > 3 * 366 * DAY_MS) throw new InvalidFields([{ field: 'expires_at', message }]);
  return asked;
}

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

const TAKEN: Record<ClientKind, readonly Field[]> = {
  secret: [],
  private_key_jwt: ['jwks', 'jwks_url'],
  federated: ['issuer', 'subject', 'audience', 'jwks_url'],
};
const MAX_JWKS = 16_384;

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

/** The only kind of assertion (RFC 7523 §2.2). */
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const MAX_CLIENT_ID = 200;

export const TOKEN_FIELDS = [
  'grant_type',
  'client_id',
  'client_secret',
  'client_assertion_type',
  'client_assertion',
] as const;

export type ClientProof =
  | { kind: 'secret'; clientId: string; secret: string }
  /** `clientId` is null where only the assertion names the client. */
  | { kind: 'assertion'; clientId: string | null; assertion: string };

/**
 * Reads a request for an access token (RFC 6749 §4.4.2, §2.3). Any `scope` is ignored.
 *
 * @param headers all `Authorization` headers of the request
 * @throws {InvalidTokenAsk} for a missing or unfitting field, another grant, or two ways of authentication
 * @throws {InvalidClient} when the authentication is missing or unreadable
 */
export function readTokenRequest(
  form: ReadonlyMap<(typeof TOKEN_FIELDS)[number], string>,
  headers: readonly string[],
): ClientProof {
  const grant = form.get('grant_type');
  if (grant === undefined) throw invalid('The field grant_type is missing from the form.');
  if (grant !== 'client_credentials') {
    throw new InvalidTokenAsk('unsupported_grant_type', 'The field grant_type must be client_credentials.');
  }
  const [header, second] = headers;
  const clientId = form.get('client_id');
  const secret = form.get('client_secret');
  const assertion = form.get('client_assertion');
  const type = form.get('client_assertion_type');
  const ways = [header, secret, assertion ?? type].filter((way) => way !== undefined).length;
  if (second !== undefined || ways > 1) throw invalid('The request authenticates the client in more than one way.');
  if (ways === 0) throw new InvalidClient();
  if (header !== undefined) return ofHeader(header, clientId);
  if (secret !== undefined) {
    if (clientId === undefined) throw invalid('The field client_id is missing from the form.');
    return { kind: 'secret', clientId, secret };
  }
  if (type !== JWT_BEARER) throw invalid(`The field client_assertion_type must be ${JWT_BEARER}.`);
  if (assertion === undefined) throw invalid('The field client_assertion is missing from the form.');
  return { kind: 'assertion', clientId: clientId ?? null, assertion };
}

/** Reads Basic authentication: id and secret are encoded as in a form (RFC 6749 §2.3.1). */
function ofHeader(header: string, named: string | undefined): ClientProof {
  const encoded = /^basic +([\w+/-]+={0,2})$/i.exec(header.slice(0, 2_048))?.[1];
  if (encoded === undefined) throw new InvalidClient();
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const clientId = decoded(pair.slice(0, colon));
  const secret = decoded(pair.slice(colon + 1));
  if (colon < 1 || clientId === null || secret === null) throw new InvalidClient();
  if (named !== undefined && named !== clientId) {
    throw invalid('The field client_id names another client than the header.');
  }
  return { kind: 'secret', clientId: clientId.slice(0, MAX_CLIENT_ID), secret };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

const invalid = (detail: string): InvalidTokenAsk => new InvalidTokenAsk('invalid_request', detail);

export function tokenAddressOf(baseUrl: string): string {
  return `${baseUrl}/oauth/token`;
}
