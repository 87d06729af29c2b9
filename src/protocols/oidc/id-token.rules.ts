import { createHash } from 'node:crypto';
import { readInstant } from '../../base/clock.js';
import { hashToken, sameHash } from '../../base/crypto/tokens.js';
import type { IdTokenAlg, OidcSettings } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import { shorten, withoutNulls, type IdpObject } from './json.rules.js';
import type { SignedToken } from './jwt.rules.js';

/** The tolerated difference of clocks, in seconds. */
export const SKEW = 60;
/** The maximum age in seconds. An ID token is issued at the code exchange, so it is new. */
export const MAX_AGE = 600;
const MAX_AHEAD = 300;
const MAX_SUBJECT = 255;

/** What an ID token is compared with. */
export interface IdTokenExpectation {
  readonly connection: Pick<OidcSettings, 'issuer' | 'clientId' | 'acrValues' | 'maxAgeSeconds' | 'userInfo'>;
  readonly nonce: string;
  /** The access token of the same answer; null: there was none. */
  readonly accessToken: string | null;
}

/** What is taken from an ID token besides its claims. */
interface IdTokenFacts {
  readonly subject: string;
  readonly acr: string | null;
  readonly sid: string | null;
  readonly issuedAt: Date;
  /** `auth_time`; null: the IdP does not state when the user authenticated. */
  readonly authenticatedAt: Date | null;
  /** `session_expiry` (IPSIE SL1): the latest end of the session. */
  readonly sessionEnds: Date | null;
}

/**
 * Checks the claims of an ID token (OIDC Core §2, §3.1.3.7; RFC 8725). The signature is checked in `jwks.store.ts`. An
 * optional claim that is null is absent. So is one of an unexpected type that the connection does not use: ADFS writes
 * `auth_time` as a text, and other IdPs `acr` as a number or a list.
 *
 * @throws {OidcRefused} `token_refused` for a token of another kind, `issuer_mismatch`, `audience_mismatch`,
 *   `token_expired`, `token_not_yet_valid`, `nonce_mismatch`, `claims_invalid`, `authentication_too_weak`
 */
export function checkIdToken(token: SignedToken, expected: IdTokenExpectation, now: Date): IdTokenFacts {
  const { header } = token;
  const claims = withoutNulls(token.claims);
  const { connection } = expected;
  // Types such as `logout+jwt` and `at+jwt` keep tokens of different kinds apart (RFC 8725 §3.11).
  if (header.typ?.endsWith('+jwt')) {
    throw new OidcRefused('token_refused', `The ID token is a token of another kind (${shorten(header.typ, 40)}).`);
  }
  checkIssuer(claims, connection.issuer, 'ID token');
  checkAudience(claims, connection.clientId, 'ID token');
  checkTimes(claims, now, 'ID token');
  checkNonce(claims['nonce'], expected.nonce);
  const subject = claims['sub'];
  if (typeof subject !== 'string' || subject === '' || subject.length > MAX_SUBJECT) {
    throw invalid(`needs a sub: a text of 1 to ${MAX_SUBJECT} characters`);
  }
  // The access token is used for UserInfo alone.
  const isRead = typeof claims['at_hash'] === 'string' || connection.userInfo !== 'never';
  if (isRead) checkAccessTokenHash(claims['at_hash'], expected.accessToken, header.alg);
  checkStrength(claims, connection, now);
  return {
    subject,
    acr: textOf(claims, 'acr'),
    sid: textOf(claims, 'sid'),
    issuedAt: new Date((claims['iat'] as number) * 1000),
    authenticatedAt: authenticationOf(claims['auth_time']),
    sessionEnds: sessionEndOf(claims['session_expiry'], now),
  };
}

/**
 * Checks `iss`, letter by letter.
 *
 * @throws {OidcRefused} `issuer_mismatch`
 */
export function checkIssuer(claims: IdpObject, issuer: string, name: string): void {
  if (claims['iss'] === issuer) return;
  const found = typeof claims['iss'] === 'string' ? shorten(claims['iss'], 200) : 'no issuer';
  throw new OidcRefused('issuer_mismatch', `The ${name} is of ${found}, configured is ${shorten(issuer, 200)}.`);
}

/**
 * Checks `aud` and `azp` (OIDC Core §3.1.3.7, 3 to 5): this client is an audience, and `azp` is this client where it is
 * present. A token for several audiences needs `azp`: otherwise another client could pass its token on.
 *
 * @throws {OidcRefused} `audience_mismatch`
 */
export function checkAudience(claims: IdpObject, clientId: string, name: string): void {
  const { aud, azp } = claims;
  const audiences = Array.isArray(aud) ? (aud as unknown[]) : [aud];
  if (audiences.length > 1 && azp === undefined) {
    throw new OidcRefused('audience_mismatch', `The ${name} is for several audiences, and names no azp.`);
  }
  if (!audiences.includes(clientId) || audiences.some((one) => typeof one !== 'string')) {
    throw new OidcRefused('audience_mismatch', `The ${name} is not for this client (aud).`);
  }
  if (azp !== undefined && azp !== clientId) {
    throw new OidcRefused('audience_mismatch', `The ${name} was given to another client (azp).`);
  }
}

/**
 * Checks `exp`, `iat` and `nbf`: not expired, not in the future, and not older than `MAX_AGE`.
 *
 * @throws {OidcRefused} `token_expired`, `token_not_yet_valid`, `claims_invalid`
 */
export function checkTimes(claims: IdpObject, now: Date, name: string): void {
  const { exp, iat, nbf } = claims;
  const seconds = now.getTime() / 1000;
  if (!isTime(exp) || !isTime(iat)) {
    throw new OidcRefused('claims_invalid', `The ${name} needs exp and iat, both numbers.`);
  }
  if (nbf !== undefined && !isTime(nbf)) {
    throw new OidcRefused('claims_invalid', `The ${name} has an nbf that is not a number.`);
  }
  if (seconds >= exp + SKEW) throw expired(`The ${name} expired ${Math.round(seconds - exp)} s ago (exp).`);
  if (seconds - iat > MAX_AGE) throw expired(`The ${name} was issued ${Math.round(seconds - iat)} s ago (iat).`);
  if (iat - seconds > MAX_AHEAD)
    throw early(`The ${name} is issued ${Math.round(iat - seconds)} s in the future (iat).`);
  if (nbf !== undefined && nbf - seconds > SKEW) {
    throw early(`The ${name} is valid only in ${Math.round(nbf - seconds)} s (nbf).`);
  }
}

function checkNonce(nonce: unknown, expected: string): void {
  if (expected !== '' && typeof nonce === 'string' && sameText(nonce, expected)) return;
  throw new OidcRefused(
    'nonce_mismatch',
    nonce === undefined ? 'The ID token has no nonce.' : 'The ID token has the nonce of another sign-in.',
  );
}

/** Checks `at_hash`, the left half of the hash of the access token (OIDC Core §3.1.3.6). It is optional. */
function checkAccessTokenHash(hash: unknown, accessToken: string | null, alg: IdTokenAlg): void {
  if (hash === undefined) return;
  if (typeof hash !== 'string') throw invalid('has an at_hash that is no text');
  if (accessToken === null) throw invalid('has an at_hash, but no access token came with it');
  // Ed25519 hashes with SHA-512 (RFC 8032 §5.1), all others here with SHA-256.
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken, 'ascii')
    .digest();
  if (!sameText(hash, digest.subarray(0, digest.length / 2).toString('base64url'))) {
    throw invalid('belongs to another access token (at_hash)');
  }
}

/** Checks `acr` and `auth_time` against what the connection demands. */
function checkStrength(claims: IdpObject, connection: IdTokenExpectation['connection'], now: Date): void {
  const { acrValues, maxAgeSeconds } = connection;
  const { acr, auth_time: authTime } = claims;
  if (acrValues.length > 0 && !(typeof acr === 'string' && acrValues.includes(acr))) {
    const found = typeof acr === 'string' ? shorten(acr, 100) : acr === undefined ? 'not named' : 'no text';
    throw tooWeak(`The kind of authentication (acr) is ${found}; demanded: ${shorten(acrValues.join(', '), 300)}.`);
  }
  if (maxAgeSeconds === null) return;
  if (authTime !== undefined && !isTime(authTime)) {
    throw invalid('has an auth_time that is not a number, and the connection demands one (max_age_seconds)');
  }
  // At least one IdP sends 0 for "unknown".
  if (authTime === undefined || authTime === 0) {
    throw tooWeak('The IdP does not say when the person authenticated (auth_time).');
  }
  const age = now.getTime() / 1000 - authTime;
  if (age > maxAgeSeconds + SKEW) {
    throw tooWeak(`The person authenticated ${Math.round(age)} s ago; ${maxAgeSeconds} s are permitted (auth_time).`);
  }
  if (age < -MAX_AHEAD) throw invalid('has an auth_time in the future');
}

/** At least one IdP sends 0 for "unknown", and ADFS a text. */
function authenticationOf(authTime: unknown): Date | null {
  if (typeof authTime === 'string') return readInstant(authTime);
  return isTime(authTime) && authTime > 0 ? new Date(authTime * 1000) : null;
}

function sessionEndOf(expiry: unknown, now: Date): Date | null {
  if (expiry === undefined) return null;
  if (!isTime(expiry)) throw invalid('has a session_expiry that is not a number');
  const end = new Date(expiry * 1000);
  if (end <= now) throw expired('The session at the IdP has ended (session_expiry).');
  return end;
}

function textOf(claims: IdpObject, name: 'acr' | 'sid'): string | null {
  const value = claims[name];
  return typeof value === 'string' && value.length <= 1024 ? value : null;
}

/** Whether a value is a NumericDate (RFC 7519 §2) within the range of Date. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 8.64e12;
}

/** Compares in constant time. */
function sameText(a: string, b: string): boolean {
  return sameHash(hashToken(a), hashToken(b));
}

const invalid = (problem: string): OidcRefused => new OidcRefused('claims_invalid', `The ID token ${problem}.`);
const expired = (message: string): OidcRefused => new OidcRefused('token_expired', message);
const early = (message: string): OidcRefused => new OidcRefused('token_not_yet_valid', message);
const tooWeak = (message: string): OidcRefused => new OidcRefused('authentication_too_weak', message);
