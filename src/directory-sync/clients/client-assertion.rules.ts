import { SKEW } from '../../protocols/oidc/id-token.rules.js';
import { withoutNulls } from '../../protocols/oidc/json.rules.js';
import type { SignedToken } from '../../protocols/oidc/jwt.rules.js';
import { ClientRefused } from './client-refused.js';

/** What an assertion has to name. */
export interface ExpectedAssertion {
  readonly issuer: string;
  readonly subject: string;
  readonly audiences: readonly string[];
  /** Whether the client signs it with its own key. Assertions of an issuer live as long as the issuer lets them. */
  readonly isOwn: boolean;
}

/** The longest life of an assertion of an issuer, in seconds: one without `jti` can be used until it ends. */
const MAX_LIFE = 86_400;
/** The longest life of an assertion of the client’s own, in seconds: it is made for one request. */
const MAX_OWN_LIFE = 600;
const MAX_JTI = 255;
/** The explicit type of another kind of token (RFC 8725 §3.11). Any other `typ` says nothing (RFC 7519 §5.1). */
const OTHER_TOKEN = /^(?!(?:application\/)?client-authentication\+jwt$).*\+jwt$/;

/**
 * Checks the claims of an assertion (RFC 7523 §3). The signature is checked by the caller.
 *
 * @returns the id that is used up until a time, in seconds since 1970; null: the assertion has no `jti`, and may be used until
 *   it ends, as those of Entra
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
  // Without a begin the life is what is left of it, by the clock of the client.
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
